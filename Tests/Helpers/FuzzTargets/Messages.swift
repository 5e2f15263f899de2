import Tags

extension FuzzTarget {
    static let messages = [
        FuzzTarget("ndef", checkMessage), FuzzTarget("tlv", checkBlocks),
    ]
}

private func checkMessage(_ input: [UInt8]) throws {
    let strict = try? NDEFMessage(decoding: input)
    let lenient = try? NDEFMessage(decoding: input, .lenient)
    if let strict { try require(lenient == strict, "what is strictly right is leniently other") }
    guard let message = lenient else { return }
    try require(message.records.count <= NDEFMessage.maximumRecordCount, "too many records")
    let sum = message.records.reduce(0) { $0 + $1.type.count + $1.id.count + $1.payload.count }
    try require(sum <= input.count, "the records have more bytes than the message")
    let encoded = try message.encoded()
    try require(
        try NDEFMessage(decoding: encoded).records == message.records
            || message.records.isEmpty, "a message is read as another one than was written")
    for record in message.records {
        if let text = try? NDEFText(record) {
            try require(try NDEFText(text.record) == text, "a text is read as another one")
        }
        if let uri = try? NDEFURI(record) {
            try require(try NDEFURI(uri.record) == uri, "an address is read as another one")
        }
    }
}

private func checkBlocks(_ input: [UInt8]) throws {
    guard let area = try? TLVArea(decoding: input) else { return }
    var end = 0
    for block in area.blocks {
        try require(block.offset == end, "a gap before the block at \(block.offset)")
        end = block.valueOffset + block.value.count
        try require(end <= input.count, "a block beyond the end")
        try require(
            Array(input[block.valueOffset..<end]) == block.value, "a value that is not there")
    }
    guard let message = area.message else { return }
    let written = try TLVArea(decoding: TLVArea.encoded(message: message.value))
    try require(written.blocks.map(\.kind) == [.message, .terminator], "other blocks")
    try require(written.message?.value == message.value, "another message than was written")
}
