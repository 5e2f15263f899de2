import Testing
import TextCodecs

@Suite("JSON values")
struct JSONValueTests {
    @Test("An accessor returns a value only for its own kind")
    func accessors() {
        let values: [JSONValue] = [nil, true, 7, "s", [1], ["k": 2]]
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
        #expect(values.map(\.numberText) == [nil, nil, "7", nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, "s", nil, nil])
        #expect(values.map(\.array) == [nil, nil, nil, nil, [1], nil])
        let members = [JSONMember(key: "k", value: 2)]
        #expect(values.map(\.members) == [nil, nil, nil, nil, nil, members])
    }

    @Test("A lookup finds the first member of a name")
    func lookup() {
        let value: JSONValue = ["a": 1, "b": 2, "a": 3]
        #expect(value["a"] == 1)
        #expect(value["b"] == 2)
        #expect(value["c"] == nil)
        #expect(JSONValue.array(["a"])["a"] == nil)
    }

    @Test("The order of members matters for equality")
    func order() {
        #expect(["a": 1, "b": 2] as JSONValue != ["b": 2, "a": 1])
    }
}
