import CardCryptography
import CustomerServer
import Glibc
import OperatingSystem
import Tags
import TapcardDomain

// Prints the query of the address that a card shows at its next reading, for browser tests:
// TapAddress KEYFILE UID COUNTER.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 3, let file = try DurableFile(words[0]).read(),
    let uid = CardUID(words[1]),
    let reads = UInt32(words[2]), let identity = TapIdentity(uid: uid, reads: reads)
else { exit(2) }
guard let pair = try CustomerKeys(parsing: file).pairs.last else { exit(1) }
let content = TapMessage.Content(
    identity: identity, fileData: [UInt8](repeating: 0, count: TapMessage.dataSize))
let message = TapMessage(
    content, metaKey: pair.meta, fileKey: CustomerKeys.fileKey(of: uid, from: pair.file),
    filling: RandomBytes.make(TapIdentity.fillingSize))
print(message.query)
