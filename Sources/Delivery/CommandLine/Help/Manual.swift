import Verbs

extension CommandTable {
    /// The pages of the manual, concatenated. Each begins with its `.TH` line.
    package func manual() -> String {
        let words = distinct(commands.compactMap(\.path.first))
        let pages = [overviewPage] + words.map(page) + [settingsManual, topicsPage]
        return pages.map(\.text).joined()
    }

    private func page(_ name: String, _ section: Int, _ summary: String) -> ManualPage {
        ManualPage(name, section, summary, date: date)
    }

    private var overviewPage: ManualPage {
        var page = page(program, 1, "prepaid and scratch cards on NFC stickers")
        page.heading("Synopsis")
        page.usages(["\(program) VERB [OPTIONS]"])
        page.heading("Description")
        page.add([.paragraph(summary)])
        page.add([
            .paragraph(
                "Each verb has its own page: `man \(program)-pay`. A group of verbs shares a page: "
                    + "`man \(program)-keys`.")
        ])
        for (group, rows) in overview {
            page.subheading(group)
            page.rows(rows)
        }
        for name in ["options", "exit-status"] { add(name, to: &page) }
        page.heading("Environment")
        page.add([
            .paragraph(
                "Every setting is also a variable, such as `TAPCARD_READER`: see "
                    + "\(program)-settings(5).")
        ])
        add("files", to: &page)
        page.heading("See also")
        page.add([.paragraph("\(program)(7), \(program)-settings(5)")])
        return page
    }

    /// The page for a verb, or for all verbs that begin with the same word.
    private func page(of word: String) -> ManualPage {
        let specs = commands.filter { $0.path.first == word }
        let usages = specs.map { usage(of: $0) }
        var page = page("\(program)-\(word)", 1, pageSummary(of: word, specs))
        page.heading("Synopsis")
        page.usages(usages)
        page.heading("Description")
        // If a topic has the same name as a group of verbs, it introduces the group.
        if let topic = topic(named: word) { page.add(topic.parts) }
        if let spec = specs.first, specs.count == 1 {
            add(spec, to: &page)
        } else {
            for spec in specs {
                page.subheading("\(program) \(spec.row.term)")
                add(spec, to: &page)
            }
        }
        page.heading("Exit status")
        page.add([.paragraph("The same for every verb: see \(program)(1).")])
        page.heading("See also")
        page.add([.paragraph("\(program)(1), \(program)(7), \(program)-settings(5)")])
        return page
    }

    private func add(_ spec: CommandSpec, to page: inout ManualPage) {
        page.add([.paragraph(spec.summary + ".")])
        page.add(Topic.paragraphs(spec.discussion))
        page.rows(spec.arguments.map(\.row) + spec.options.map(\.row))
        page.add([.line("Example", spec.example)])
    }

    /// A one-line summary, because the manual's index shows only one line.
    private func pageSummary(of word: String, _ specs: [CommandSpec]) -> String {
        if let only = specs.first, specs.count == 1 { return only.summary }
        if let topic = topic(named: word) { return topic.summary }
        let verbs = specs.compactMap { $0.path.dropFirst().first }
        let list = verbs.dropLast().joined(separator: ", ")
        let conjunction = verbs.count > 2 ? ", and" : " and"
        let below = list.isEmpty ? verbs.joined() : "\(list)\(conjunction) \(verbs.last ?? "")"
        return "the verbs \(program) \(word) \(below)"
    }

    private var settingsManual: ManualPage {
        var page = page("\(program)-settings", 5, "the settings of \(program)")
        if let topic = topic(named: "settings") {
            page.heading("Description")
            page.add(topic.parts)
        }
        page.heading("See also")
        page.add([.paragraph("\(program)(1), \(program)-config(1), \(program)(7)")])
        return page
    }

    /// The topics that are left out of the section 7 page, because the overview (section 1)
    /// includes them or because they have their own page, like `settings` (section 5).
    private static let topicsOnOtherPages = ["options", "exit-status", "files", "settings"]

    private func add(_ name: String, to page: inout ManualPage) {
        guard let topic = topic(named: name) else { return }
        page.heading(name.replacing("-", with: " "))
        page.add(topic.parts)
    }

    private var topicsPage: ManualPage {
        var page = page(program, 7, "what \(program)'s verbs have in common")
        page.heading("Description")
        page.add([
            .paragraph(
                "`\(program) help TOPIC` shows one section of this page, or of \(program)(1).")
        ])
        for topic in topics where !CommandTable.topicsOnOtherPages.contains(topic.name) {
            add(topic.name, to: &page)
        }
        page.heading("See also")
        page.add([.paragraph("\(program)(1), \(program)-settings(5)")])
        return page
    }
}
