import Tags

/// An ACR1252U: raw frames in a transparent session, and commands for storage cards outside it.
public struct PlayedACR1252U: PlayedReader {
    private var air = TypeAAir()
    private var isInSession = false
    private var storage = PlayedStorageReader()

    public init() {}

    public mutating func powerUp(_ field: inout PlayedField) {
        storage.powerUp(&field)
        // The reader has selected the tag itself.
        air.isSelected = true
    }

    public mutating func powerDown(_ field: inout PlayedField) {
        isInSession = false
        storage.powerDown(&field)
    }

    public mutating func answer(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        guard command.starts(with: [0xFF, 0xC2, 0x00]), command.count >= 5 else {
            return isInSession ? [0x69, 0x85] : storage.answer(command, &field)
        }
        let length = Int(command[4])
        guard command.count >= 5 + length else { return [0x67, 0x00] }
        let objects = Array(command[5..<5 + length])
        switch command[3] {
        case 0x00: return manage(objects, &field)
        case 0x01 where isInSession: return transceive(objects, &field)
        default: return [0x69, 0x85]
        }
    }

    private mutating func manage(_ objects: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        switch objects {
        case [0x81, 0x00]: isInSession = true
        case [0x82, 0x00]: isInSession = false
        case [0x83, 0x00]:
            field.switchOff()
            air.isSelected = false
        case [0x84, 0x00]: field.switchOn()
        default: return Self.outcome(0x6A81)
        }
        return Self.outcome(0x9000)
    }

    private mutating func transceive(_ objects: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        // The flags, the bits of the last byte, the frame: in this order, as the client sends it.
        guard objects.count >= 9, objects[0..<3] == [0x90, 0x02, 0x00],
            objects[4..<6] == [0x91, 0x01], objects[7] == 0x95,
            Int(objects[8]) == objects.count - 9
        else { return Self.outcome(0x6A80) }
        let addsCRC = objects[3] & 0x01 == 0
        let checksCRC = objects[3] & 0x02 == 0
        let frame = Array(objects[9...])
        let sent = addsCRC ? frame + checkBytes(frame) : frame
        guard let received = air.answer(sent, bits: objects[6], &field) else {
            return Self.outcome(0x6401)
        }
        let isBroken = checksCRC && !received.isAcknowledge
        return Self.outcome(
            0x9000,
            [
                0x92, 0x01, received.isAcknowledge ? 0x04 : 0x00,
                0x96, 0x02, isBroken ? 0x01 : 0x00, 0x00,
            ] + Self.object(0x97, received.bytes))
    }

    private static func outcome(_ status: UInt16, _ rest: [UInt8] = []) -> [UInt8] {
        [0xC0, 0x03, 0x00, UInt8(status >> 8), UInt8(truncatingIfNeeded: status)] + rest
            + [0x90, 0x00]
    }

    private static func object(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        content.count < 0x80
            ? [tag, UInt8(content.count)] + content : [tag, 0x81, UInt8(content.count)] + content
    }
}
