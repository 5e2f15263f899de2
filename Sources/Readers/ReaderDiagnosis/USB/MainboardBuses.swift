extension ReaderDiscovery {
    /// Adds the device node for a board on a mainboard bus. The board itself cannot be seen.
    func look(at path: String, on bus: MainboardBus, _ survey: inout ReaderSurvey) {
        let node = node(path)
        guard node.access != .missing else {
            survey.pathRefusal = .missing(path)
            return
        }
        // Resolved, because the path may be a link: sysfs has only the kernel's name.
        let opened = tree.resolved(path).split(separator: "/").last ?? ""
        guard tree.isCharacterDevice(path),
            tree.exists("/sys/class/\(bus.deviceClass)/\(opened)")
        else {
            survey.pathRefusal = .notOnBus(path)
            return
        }
        survey.busNode = node
    }
}
