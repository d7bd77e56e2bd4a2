package settings

// BackupSuffix follows the name of a file in that of its backup.
const BackupSuffix = backupSuffix
