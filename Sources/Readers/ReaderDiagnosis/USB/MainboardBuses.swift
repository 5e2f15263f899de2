extension ReaderDiscovery {
    /// Adds the device node for a board on a mainboard bus to the survey. There is no way to see
    /// whether a board is connected.
    func surveyBusNode(at path: String, on bus: MainboardBus, _ survey: inout ReaderSurvey) {
        let node = node(path)
        guard node.access != .missing else {
            survey.pathRefusal = .missing(path)
            return
        }
        // The path may be a link, but sysfs has only the kernel's own name for the device.
        let kernelName = tree.resolved(path).split(separator: "/").last ?? ""
        guard tree.isCharacterDevice(path),
            tree.exists("/sys/class/\(bus.deviceClass)/\(kernelName)")
        else {
            survey.pathRefusal = .notOnBus(path)
            return
        }
        survey.busNode = node
    }
}
