import TapcardDomain

/// Calls a service every time. If the service does not respond, falls back to its last valid
/// response.
struct CachedCaller: Sendable {
    let caller: ServiceCaller
    let cache: AnswerCache

    /// A stored response and its parsed value.
    private struct Stored<Value> {
        var answer: CachedAnswer
        let value: Value
    }

    /// Returns the service's response or the stored one. `parse` parses a body; a body that it
    /// accepts is stored under `name`. `objection` compares the new value with the stored one. If
    /// it returns an error, the stored response is used and kept. With `forgetting`, the stored
    /// response is ignored, and it is removed once a valid response has arrived.
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
            // The response must come from the service itself, not from a cache on the way, because
            // tickets are sold on the basis of this list.
            answer = try await caller.ask(
                .get, path,
                headers: [
                    HTTPHeader("Cache-Control", "no-cache"),
                    stored?.answer.etag.flatMap { HTTPHeader("If-None-Match", $0) },
                ].compactMap(\.self))
        } catch {
            // A permanent error must not be hidden by a stored response.
            guard error.isTemporary else { throw error }
            return try outdated(stored, because: error)
        }
        let now = caller.dependencies.now()
        // A 304 is a valid response only to a request with an ETag.
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
        // The old response is kept until now, because it is better than none.
        if forgetting { cacheRemovalError = await cache.forget(name) }
        await cache.keep(
            CachedAnswer(url: url, confirmed: now, etag: answer.head["etag"], body: answer.body),
            as: name)
        return Fetched(value, cacheRemovalError: cacheRemovalError)
    }

    /// The stored value, with its age and the reason it may be outdated.
    private func outdated<Value>(
        _ stored: Stored<Value>?, because error: ServiceError
    ) throws(ServiceError) -> Fetched<Value> {
        let now = caller.dependencies.now()
        // If the clock was set back, the age of the response is unknown.
        guard let stored, stored.answer.confirmed <= now else { throw error }
        let age = now.millisecondsSince(stored.answer.confirmed) / 1_000
        return Fetched(stored.value, age: Int(clamping: age), staleness: error)
    }
}
