extension Schema {
    /// Whether a tag has its card's password, and which key that comes from. The words have a list
    /// here, unlike kinds: one that is not known must not be taken for a tag that is open.
    static let version2 = """
        ALTER TABLE card ADD COLUMN protection TEXT NOT NULL DEFAULT 'off' CHECK (
            protection IN (
                'off', 'setting-password', 'switching-on', 'on', 'switching-off',
                'clearing-password'));
        ALTER TABLE card ADD COLUMN protection_key INTEGER
            CHECK (protection_key BETWEEN 0 AND 15)
            CHECK ((protection = 'off') = (protection_key IS NULL));
        """
}
