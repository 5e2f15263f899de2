import TextCodecs

/// Descriptions of members whose name and type do not say enough. A name that is here has one
/// meaning in all documents.
package enum MemberWords {
    package static let all = cards.merging(money) { $1 }.merging(services) { $1 }
        .merging(station) { $1 }

    private static let cards = [
        "error": "the word of what is wrong: tapcard help errors lists them",
        "message": "what happened, what it means for card and money, what to do next",
        "sequence": "the number of the record on the card",
        "sameID": "other cards whose holder has the same number",
        "codeOf": "the card that the code on the tag belongs to",
        "display": "whether what phones read is up to date",
        "protection": "what keeps others from writing to the tag: a password, or a chip's keys",
        "originality": "what the maker's signature says",
        "keyVersions": "the versions of the chip's keys; none of a tag with pages",
        "houseKey": "the key of the station that these versions name",
        "halfMade": "whether the making of the card, or a change of its keys, was interrupted",
        "host": "the host of the page that the card shows to phones",
        "lrp": "whether somebody has switched the chip to LRP, so that it can be used no more",
        "ticketsGivenUp": "tickets that can never be claimed now",
        "counter": "how often the tag was read",
        "firstProtected": "the first page that the password protects",
        "protectsReading": "whether it is needed for reading, too",
        "passwordLimit": "after how many wrong passwords the tag locks itself; 0 is never",
        "mirrorPage": "from where on the tag shows its own number",
        "reads": "how often phones have read it",
    ]

    private static let money = [
        "replayed": "whether it had happened before and did not happen again",
        "settled": "what an earlier tap had left open, and this tap has settled",
        "reverses": "the operation that this one reverses",
        "closed": "what a new account on the same tag closed, and what was handed out for it",
        "attempt": "the attempt at an activation that this answers",
        "drawer": "how much more the drawer has to hold",
        "violations": "the invariants that do not hold",
        "activating": "the cards whose activation has no answer yet",
        "journals": "the stations' journals of which purchases may be missing",
        "reason": "why its purchases may be missing",
        "reported": "when its station last reported it",
        "deferred": "there if the ledger is out of reach and the journal alone has the payment",
        "unsettled": "the sum of the station's purchases that are not booked",
        "limit": "the most that may be unsettled",
        "shortfall": "what cards could not pay of deferred purchases: the house's loss",
        "tapped": "the card that was tapped, where this one has replaced it since",
    ]

    private static let services = [
        "age": "how old the answer is, in seconds",
        "stale": "why the service was not asked again",
        "claim": "where the prize can be booked",
        "timeToLive": "how long the login lasts, in seconds",
        "slots": "how many colours are to be found",
        "black": "colours in the right place",
        "white": "colours in another place",
        "score": "how many guesses it took",
        "participant": "the player's id at the service",
    ]

    private static let station = [
        "exhausted": "cards that have no numbers left",
        "stopped": "cards that were blocked or replaced since the copy was made",
        "kept": "the file under which the previous ledger, or its journal alone, is kept",
        "new": "whether the station was set up now",
        "simulated": "whether these are the settings of the simulated reader",
        "from": "where the value comes from",
        "passphrase": "what opens the file; it is shown only now",
        "table": "how many cards the station has keys of, where it has a table of them",
        "live": "what came of opening the reader",
        "missing": "how many pages the dump does not have",
        "link": "the name that stays the same",
        "connection": "what libnfc calls it",
        "metrics": "the address of that page's counts, where no counter page has them",
        "isNew": "whether there was none of that name",
        "epoch": "how often a loss was declared, plus 1",
        "synchronous": "the replicas for which a commit waits, as the server is set",
        "replicas": "the replicas that are connected; null where this login may not see them",
        "inStep": "whether the replica streams, and commits wait for it",
        "lag": "the bytes that the replica has not stored yet",
        "tables": "whether this version of tapcard knows the tables, and may write to them",
        "sealing": "the key that seals at every station",
        "nextKey": "the key that seals next, once every station has it",
        "lacking": "the stations that lack one of these keys",
        "clockLead": "the database's clock less the station's, in milliseconds",
        "openOperations": "how many operations wait for the next tap of their card",
        "oldestOpen": "when the oldest of them began",
        "linkTimeout":
            "the seconds after which the server ends the session of a station that is gone; "
            + "null on one machine and behind a pooler",
        "transactionAge": "the transactions since the database was last frozen",
        "keysTold": "when the station last named other keys than before",
    ]
}

extension Members {
    /// These schemas with the words for their names, where they have none of their own.
    var described: Members {
        Members(
            all.map { member in
                guard let words = MemberWords.all[member.key], member.value["description"] == nil
                else { return (member.key, member.value) }
                return (member.key, Schema.described(member.value, words))
            })
    }
}
