import PasswordEntry
import Testing

@Suite("A password being typed")
struct TypedPasswordTests {
    private func typed(_ text: String) -> TypedPassword {
        var password = TypedPassword()
        for character in text { password.append(character) }
        return password
    }

    @Test("characters, whole ones, are taken back one by one or all at once")
    func editing() {
        var password = typed("pä👍🏽")
        password.eraseLast()
        #expect(password.text == "pä")
        password.eraseLast()
        #expect(password.text == "p")
        password.clear()
        #expect(password.text == "")
        password.eraseLast()
        #expect(password.text == "")
    }

    @Test("no more is taken than a password can have")
    func length() {
        let most = String(repeating: "x", count: TypedPassword.mostBytes)
        var password = typed(most + "y")
        #expect(password.text == most)
        password.eraseLast()
        password.append("y")
        #expect(password.text == most.dropLast() + "y")
    }
}
