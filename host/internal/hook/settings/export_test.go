package settings

// BackupSuffix follows a file's name in the name of its backup.
const BackupSuffix = backupSuffix
