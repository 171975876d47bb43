import { join } from 'node:path'

/** The usual folders of logs, by platform, also those of a user's own programs. */
const customary: Partial<Record<NodeJS.Platform, (home: string) => string[]>> = {
  linux: (home) => [
    '/var/log',
    '/opt',
    '/srv',
    join(home, 'logs'),
    join(home, '.local/state'),
    join(home, '.pm2/logs'),
  ],
  darwin: (home) => [
    '/var/log',
    '/Library/Logs',
    join(home, 'Library/Logs'),
    '/opt/homebrew/var/log',
    '/usr/local/var/log',
  ],
  win32: (home) => [
    'C:\\inetpub\\logs',
    'C:\\Windows\\Logs',
    'C:\\ProgramData',
    join(home, 'AppData', 'Local', 'Temp'),
  ],
}

/** The folders that are scanned for logs if none are configured. */
export const customaryLogFolders = (platform: NodeJS.Platform, home: string): string[] =>
  (customary[platform] ?? customary.linux)?.(home) ?? []
