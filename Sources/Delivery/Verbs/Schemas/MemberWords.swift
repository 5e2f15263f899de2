import TextCodecs

/// Schema descriptions for JSON members whose names and types do not explain them well enough. They
/// are keyed only by name, so a name in this list means the same thing in every document.
package enum MemberWords {
    package static let all = cards.merging(money) { $1 }.merging(services) { $1 }
        .merging(station) { $1 }

    private static let cards = [
        "error": "identifies the error; `tapcard help errors` lists the values",
        "message":
            "human-readable text: what happened, what it means for the card and money, and what "
            + "to do next",
        "sequence": "record number on the card",
        "sameID": "other cards with the same cardholder ID",
        "codeOf": "UID of the other card in this ledger that the tag's activation code belongs to",
        "display": "whether the text that phones show is current",
        "protection": "how the tag is write-protected: password (NTAG21x) or chip keys (NTAG 424)",
        "originality": "result of checking the chip manufacturer's signature",
        "keyVersions": "key versions in an NTAG 424; null for page-based tags (NTAG21x)",
        "issuerKey": "ID of the server's key that matches the chip's key versions; null if none",
        "halfMade": "true if the chip's key versions differ: issuing or rekeying was interrupted",
        "host": "host of the page that phones open",
        "lrp": "true if the chip was permanently switched to LRP mode, which tapcard can't use",
        "ticketsGivenUp": "previous card's unclaimed lottery tickets, no longer claimable",
        "counter": "number of times the tag was read",
        "firstProtected": "first page protected by the password",
        "protectsReading": "whether reading also needs the password",
        "passwordLimit": "number of wrong passwords before the tag locks itself; 0 for no limit",
        "mirrorPage": "first page of the area where the tag adds its UID (and counter) when read",
        "reads": "how often phones have read the tag",
        "format": "how the tag keeps its message: in pages (Type 2) or in files (Type 4)",
        "records": "the message's records, decoded",
        "invalid": "why the message or the record is not valid",
        "otherBlocks": "data blocks other than the message, such as the location of the lock bits",
        "freeBytes": "how many bytes longer the message could be",
        "maximumBytes": "length of the longest message that fits on the tag",
        "writable": "whether the tag itself allows writing",
        "trust": "how far the UID can be trusted: uid, sealed, or proved",
        "ready": "whether the reader works",
        "missed": "how many events had to be dropped",
        "wasThere": "true if the tag already held this message, so nothing was written",
    ]

    private static let money = [
        "replayed":
            "true if an earlier request with this ID took effect; nothing was done again",
        "resolved": "operations left open by an earlier tap and resolved by this one",
        "reverses": "the operation that this one reverses",
        "closed": "balance of the tag's earlier account, now closed and paid out to the customer",
        "attempt":
            "in the history, ID of the activation request that the service answered",
        "drawer": "expected change in drawer cash that day (added less paid out); may be negative",
        "violations": "rules that were violated",
        "activating": "cards whose activation request has not been answered yet",
        "journals": "journals that may still hold unbooked offline payments",
        "reason": "why this journal may still hold unbooked offline payments",
        "reported": "time of the server's last report",
        "offline":
            "payment that is so far only in the journal; present only if the ledger was offline",
        "unbooked": "total of this server's offline payments not yet booked",
        "limit": "maximum total of this server's unbooked offline payments",
        "shortfall":
            "amount of offline payments that the cards could not cover when booked; the issuer's "
            + "loss",
        "tapped": "card tapped for an offline payment, if this card has since replaced it",
    ]

    private static let services = [
        "age": "seconds since the response was fetched",
        "stale": "kind of service error behind an outdated list; null if the list is current",
        "claim": "how to pay the prize: card, drawer, done, paid-out, blocked, never, or elsewhere",
        "timeToLive": "lifetime of the login, in seconds",
        "slots": "number of positions in the game's secret code",
        "black": "number of guessed colors in the right place",
        "white": "number of guessed colors in the wrong place",
        "score": "number of guesses",
        "participant": "the player's ID at the service",
    ]

    private static let station = [
        "exhausted": "cards with no record numbers left",
        "stopped": "cards blocked or replaced since the backup",
        "kept": "path where the replaced ledger was saved (or its journal, if only that existed)",
        "new": "true if this call set up the machine; false if it was already set up",
        "simulated": "true for a simulation",
        "from": "where the value came from: flag, variable, file, or default",
        "live": "result of opening the reader and looking for a tag",
        "missing": "number of pages missing from the dump",
        "link": "name of the symbolic link to the emulated reader; the same on every run",
        "connection": "emulated reader's libnfc connection string, as in LIBNFC_DEFAULT_DEVICE",
        "metrics": "URL of the customer page metrics; absent if a till page serves them",
        "isNew": "true if the cashier was created; false if only the password changed",
        "may": "what the token allows: watch (receive taps) or tags (also read and write tags)",
        "origins": "web pages that may use the token; if empty, only programs may",
        "epoch": "1 + number of times payments were declared lost (`ledger reopen --after-loss`)",
        "synchronous": "names of standby servers every commit waits for, from the server config",
        "replicas": "standby servers connected now; null if this login isn't allowed to see them",
        "inStep": "true if the replica is streaming and commits wait for it",
        "lag": "bytes that the replica has not stored yet",
        "tables": "whether this version of tapcard can read and write this schema version",
        "sealing": "ID of the key that all servers seal with",
        "nextKey": "announced key, which will seal records once all servers have it",
        "lacking": "servers that lack one of these keys",
        "clockLead": "database server's clock minus this server's, in milliseconds",
        "openOperations": "number of operations that stay open until their card is next tapped",
        "oldestOpen": "start time of the oldest unfinished operation",
        "linkTimeout":
            "seconds until the database ends a disconnected server's session; "
            + "null if the database is local or behind a connection pooler",
        "transactionAge": "transactions since the last freeze; PostgreSQL stops near 2 billion",
        "keysTold": "when the server last reported a change to its keys",
    ]
}

extension Members {
    /// Adds the description from `MemberWords` to each member without its own description.
    var described: Members {
        Members(
            all.map { member in
                guard let words = MemberWords.all[member.key], member.value["description"] == nil
                else { return (member.key, member.value) }
                return (member.key, Schema.described(member.value, words))
            })
    }
}
