import TapcardDomain

/// Asks a service each time, and falls back on its last good answer while it does not give one.
struct CachedCaller: Sendable {
    let caller: ServiceCaller
    let cache: AnswerCache

    /// The stored answer, parsed.
    private struct Kept<Value> {
        var answer: CachedAnswer
        let value: Value
    }

    /// `parse` interprets a body; only a body that it accepts is stored, under `name`. If comparing
    /// an answer with the stored one raises an `objection`, the answer does not replace the stored
    /// one. With `forgetting`, the stored answer is ignored, and is removed after a good answer.
    func fetch<Value: Sendable>(
        _ path: String, keptAs name: String, forgetting: Bool = false,
        objection: (Value, Value) -> ServiceError? = { _, _ in nil },
        _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Fetched<Value> {
        let url = caller.address.appending(path)
        var kept: Kept<Value>?
        if !forgetting, let answer = await cache.answer(name, from: url),
            let value = try? parse(answer.body)
        {
            kept = Kept(answer: answer, value: value)
        }
        let answer: HTTPAnswer
        do throws(ServiceError) {
            // The service itself has to answer, not a cache along the way: tickets are sold based
            // on this list.
            answer = try await caller.ask(
                .get, path,
                headers: [
                    HTTPHeader("Cache-Control", "no-cache"),
                    kept?.answer.etag.flatMap { HTTPHeader("If-None-Match", $0) },
                ].compactMap(\.self))
        } catch {
            guard error.isPassing else { throw error }
            return try old(kept, because: error)
        }
        let now = caller.surroundings.now()
        // Only if an ETag was sent: any other 304 does not answer this request.
        if answer.status == 304, var same = kept, same.answer.etag != nil {
            same.answer.confirmed = now
            await cache.keep(same.answer, as: name)
            return Fetched(same.value)
        }
        let value = try caller.meaning(of: answer, parse)
        if let kept, let objection = objection(value, kept.value) {
            return try old(kept, because: objection.naming(caller.address))
        }
        var unforgotten: String?
        // Only now, after a good answer: until then, the old list is better than nothing.
        if forgetting { unforgotten = await cache.forget(name) }
        await cache.keep(
            CachedAnswer(url: url, confirmed: now, etag: answer.head["etag"], body: answer.body),
            as: name)
        return Fetched(value, unforgotten: unforgotten)
    }

    /// The stored answer, with its age and the reason why it is not the newest.
    private func old<Value>(
        _ kept: Kept<Value>?, because error: ServiceError
    ) throws(ServiceError) -> Fetched<Value> {
        let now = caller.surroundings.now()
        // If the clock was set back, there is no way to tell how old it is.
        guard let kept, kept.answer.confirmed <= now else { throw error }
        let age = now.millisecondsSince(kept.answer.confirmed) / 1_000
        return Fetched(kept.value, age: Int(clamping: age), staleness: error)
    }
}
