import DurableFile
import ServicePorts
import TapcardDomain

/// Sends a request only if the cached answer is out of date, and falls back on the cache if the
/// service gives no answer.
struct CachedCaller: Sendable {
    let caller: ServiceCaller
    let cache: HTTPCache

    private static let pastCaches = [HTTPHeader("Cache-Control", "no-cache")].compactMap { $0 }

    /// The cached answer of an address, parsed.
    private struct Kept<Value> {
        let entry: CacheEntry
        let value: Value
        let freshness: Freshness
    }

    /// `parse` interprets a body; only a body that it accepts is stored. With revalidation the
    /// service itself is asked, past any cache on the way. An answer with an `objection`, compared
    /// with the cached one, does not replace it.
    func fetch<Value: Sendable>(
        _ path: String, revalidating: Bool = false,
        objection: (Value, Value) -> ServiceError? = { _, _ in nil },
        _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Fetched<Value> {
        let url = caller.address.appending(path)
        var notes: [String] = []
        let kept = await kept(url, parse, &notes)
        if let kept, kept.freshness.isFresh, !revalidating {
            return Fetched(kept.value, age: kept.freshness.age, notes: notes)
        }
        let requested = caller.surroundings.now()
        let answer: HTTPAnswer
        do throws(ServiceError) {
            answer = try await caller.ask(
                .get, path,
                headers: (kept?.entry.conditions ?? [])
                    + (revalidating ? CachedCaller.pastCaches : []))
        } catch {
            return try stale(kept, because: error, notes)
        }
        let received = caller.surroundings.now()
        if answer.status == 304 {
            // Without a cached answer no condition was sent, so 304 is not a valid answer.
            guard let kept else {
                throw ServiceError(
                    .wrongShape, "nothing has changed, it says, but nothing was kept"
                )
                .naming(caller.address)
            }
            try await requireSameVersion(answer.head, kept.entry)
            let entry = kept.entry.renewed(
                requested: requested, received: received, by: answer.head)
            await store(entry, &notes)
            return Fetched(kept.value, age: entry.ageWhenReceived, notes: notes)
        }
        let value = try meaning(of: answer, parse)
        if let kept, let objection = objection(value, kept.value) {
            return try old(kept, because: objection.naming(caller.address), notes)
        }
        let entry = CacheEntry(
            url: url, requested: requested, received: received, head: answer.head,
            body: answer.body)
        await store(entry, &notes)
        return Fetched(value, age: entry.ageWhenReceived, notes: notes)
    }

    /// The answer of the service itself, which replaces any cached one. Without a good answer the
    /// cached one stays. `remark` is a note for the user about the cached answer and its
    /// replacement.
    func fetchAnew<Value: Sendable>(
        _ path: String, remark: (Value, Value) -> String?,
        _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Fetched<Value> {
        let url = caller.address.appending(path)
        var notes: [String] = []
        let kept = await kept(url, parse, &notes)
        let requested = caller.surroundings.now()
        let answer = try await caller.ask(.get, path, headers: CachedCaller.pastCaches)
        let value = try meaning(of: answer, parse)
        let entry = CacheEntry(
            url: url, requested: requested, received: caller.surroundings.now(),
            head: answer.head, body: answer.body)
        await store(entry, &notes)
        if let remark = kept.flatMap({ remark($0.value, value) }) { notes.append(remark) }
        return Fetched(value, age: entry.ageWhenReceived, notes: notes)
    }

    private func meaning<Value>(
        of answer: HTTPAnswer, _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try parse(try answer.requireOK())
        } catch {
            throw error.naming(caller.address)
        }
    }

    private func kept<Value: Sendable>(
        _ url: String, _ parse: ([UInt8]) throws(ServiceError) -> Value, _ notes: inout [String]
    ) async -> Kept<Value>? {
        let why: String
        do throws(CacheDamage) {
            guard let entry = try await cache.entry(for: url) else { return nil }
            do throws(ServiceError) {
                let value = try parse(entry.body)
                let freshness = Freshness(of: entry, at: caller.surroundings.now())
                return Kept(entry: entry, value: value, freshness: freshness)
            } catch {
                why = error.detail
            }
        } catch {
            why = error.words
        }
        notes.append(
            "What was kept of \(caller.address.host) was damaged and is thrown away: \(why).")
        await remove(url, &notes)
        return nil
    }

    /// The cached answer, if it may be used and the service may answer another time.
    private func stale<Value>(
        _ kept: Kept<Value>?, because error: ServiceError, _ notes: [String]
    ) throws(ServiceError) -> Fetched<Value> {
        guard error.isPassing else { throw error }
        guard let kept else {
            let lost = notes.map { " " + $0 }.joined()
            throw ServiceError(error.kind, "\(error.detail), and nothing is kept of it.\(lost)")
        }
        return try old(kept, because: error, notes)
    }

    /// The cached answer, with the reason why it is not the newest.
    private func old<Value>(
        _ kept: Kept<Value>, because error: ServiceError, _ notes: [String]
    ) throws(ServiceError) -> Fetched<Value> {
        let policy = kept.entry.policy
        guard kept.freshness.isFresh || !policy.mustAsk && !policy.mustRevalidate else {
            throw ServiceError(
                error.kind,
                "\(error.detail), and it does not allow what was kept to be used without asking it")
        }
        let doubt =
            kept.freshness.isClockSetBack
            ? ["The clock was set back: how old what was kept is, is not known."] : []
        return Fetched(
            kept.value, age: kept.freshness.age, staleness: error, notes: notes + doubt)
    }

    /// Requires that an answer without a body is about the cached one.
    private func requireSameVersion(
        _ head: HTTPHead, _ kept: CacheEntry
    ) async throws(ServiceError) {
        guard let new = head["etag"], let old = kept.head["etag"],
            CachedCaller.opaque(new) != CachedCaller.opaque(old)
        else { return }
        // A failure costs only one request: the next one is made without conditions.
        try? await cache.remove(kept.url)
        throw ServiceError(.wrongShape, "nothing has changed, it says, of what was never kept")
            .naming(caller.address)
    }

    /// The tag without the mark of a weak one, which does not matter here.
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    private func store(_ entry: CacheEntry, _ notes: inout [String]) async {
        if entry.policy.isForbidden { return await remove(entry.url, &notes) }
        do throws(FileError) {
            try await cache.store(entry, at: caller.surroundings.now())
        } catch {
            notes.append("The answer could not be kept: \(error.detail).")
        }
    }

    private func remove(_ url: String, _ notes: inout [String]) async {
        do throws(FileError) {
            try await cache.remove(url)
        } catch {
            notes.append("What was kept cannot be removed: \(error.detail).")
        }
    }
}
