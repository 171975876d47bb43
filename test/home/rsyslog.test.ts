import { execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@trellis/distributed/servers'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'
import { whereIs } from '../support/where-is.ts'

const program = 'rsyslogd'
const missing = whereIs(program) === undefined ? ` (skipped: ${program} is not installed)` : ''

/** The example of the page, with a folder, a port and a group of this machine instead of those of a server. */
const exampleFor = async ({ folder, port, group }: { folder: string; port: number; group: string }) => {
  const page = await readFile(new URL('../../docs/self-hosting.md', import.meta.url), 'utf8')
  const [, example = ''] = /```\n( *# \/etc\/rsyslog\.d\/[\s\S]*?)```/.exec(page) ?? []
  return example
    .replaceAll('/var/log/devices', folder)
    .replaceAll('"514"', `"${port}"`)
    .replaceAll('"adm"', `"${group}"`)
}

test.skipIf(missing !== '')(
  `rsyslog writes files of devices that the group of Trellis may read${missing}`,
  async () => {
    await using directory = await temporaryDirectory()
    const folder = join(directory.path, 'devices')
    const port = await freePort()
    const group = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()
    const configuration = join(directory.path, 'rsyslog.conf')
    await writeFile(configuration, await exampleFor({ folder, port, group }))
    const server = spawn(program, ['-n', '-f', configuration, '-i', join(directory.path, 'pid')], { stdio: 'ignore' })
    const ended = once(server, 'close')
    const device = createSocket('udp4')
    try {
      await waitFor(async () => {
        device.send('<34>Oct 11 22:14:15 router su: failed', port, '127.0.0.1')
        expect(await readdir(folder)).toEqual(['127.0.0.1.log'])
      })
      const modeOf = async (path: string) => (await stat(path)).mode & 0o777
      expect((await modeOf(folder)).toString(8)).toBe('750')
      expect((await modeOf(join(folder, '127.0.0.1.log'))).toString(8)).toBe('640')
    } finally {
      device.close()
      server.kill()
      await ended
    }
  },
)
