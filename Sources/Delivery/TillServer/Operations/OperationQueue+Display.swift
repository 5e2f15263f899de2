import TextCodecs
import WebServer

/// The customer's display of one till.
extension OperationQueue {
    /// Starts a stream that sends what the customer may see, and nothing else.
    func listenToDisplay(
        while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        let first = EventHub.bytes("display", customerDisplay.document)
        return try listen(to: .display, nil, first: first, while: isAuthorized)
    }

    /// Shows the sale of the till page.
    func show(_ sale: CustomerDisplay.Sale) {
        let before = customerDisplay.document
        customerDisplay.show(sale)
        if customerDisplay.document != before { publishDisplay() }
    }

    func publishDisplay() {
        endUnauthorizedStreams()
        hub.publish("display", customerDisplay.document, to: .display)
    }
}
