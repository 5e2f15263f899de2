import TapcardDomain

/// Calls a service each time. If the service does not answer, falls back to its last good answer.
struct CachedCaller: Sendable {
    let caller: ServiceCaller
    let cache: AnswerCache

    /// The stored answer, parsed.
    private struct Stored<Value> {
        var answer: CachedAnswer
        let value: Value
    }

    /// Returns the service's answer or the stored one. `parse` interprets a body; a body that it
    /// accepts is stored under `name`. If `objection` returns an error when it compares the new
    /// answer with the stored one, the stored answer is kept. With `forgetting`, the stored answer
    /// is ignored, and it is removed once a good answer has arrived.
    func fetch<Value: Sendable>(
        _ path: String, storedAs name: String, forgetting: Bool = false,
        objection: (Value, Value) -> ServiceError? = { _, _ in nil },
        _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Fetched<Value> {
        let url = caller.address.appending(path)
        var stored: Stored<Value>?
        if !forgetting, let answer = await cache.answer(name, from: url),
            let value = try? parse(answer.body)
        {
            stored = Stored(answer: answer, value: value)
        }
        let answer: HTTPAnswer
        do throws(ServiceError) {
            // The answer must come from the service itself, not from a cache along the way: tickets
            // are sold on the basis of this list.
            answer = try await caller.ask(
                .get, path,
                headers: [
                    HTTPHeader("Cache-Control", "no-cache"),
                    stored?.answer.etag.flatMap { HTTPHeader("If-None-Match", $0) },
                ].compactMap(\.self))
        } catch {
            // A stored answer would only hide a permanent error.
            guard error.isTemporary else { throw error }
            return try outdated(stored, because: error)
        }
        let now = caller.dependencies.now()
        // A 304 is valid only in response to a request with an ETag.
        if answer.status == 304, var unchanged = stored, unchanged.answer.etag != nil {
            unchanged.answer.confirmed = now
            await cache.keep(unchanged.answer, as: name)
            return Fetched(unchanged.value)
        }
        let value = try caller.meaning(of: answer, parse)
        if let stored, let objection = objection(value, stored.value) {
            return try outdated(stored, because: objection.naming(caller.address))
        }
        var cacheRemovalError: String?
        // Not before a good answer has arrived: until then, the old list is better than nothing.
        if forgetting { cacheRemovalError = await cache.forget(name) }
        await cache.keep(
            CachedAnswer(url: url, confirmed: now, etag: answer.head["etag"], body: answer.body),
            as: name)
        return Fetched(value, cacheRemovalError: cacheRemovalError)
    }

    /// The stored answer, with its age and the reason it may be outdated.
    private func outdated<Value>(
        _ stored: Stored<Value>?, because error: ServiceError
    ) throws(ServiceError) -> Fetched<Value> {
        let now = caller.dependencies.now()
        // If the clock was set back, there is no way to tell how old the answer is.
        guard let stored, stored.answer.confirmed <= now else { throw error }
        let age = now.millisecondsSince(stored.answer.confirmed) / 1_000
        return Fetched(stored.value, age: Int(clamping: age), staleness: error)
    }
}
