import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { openCollecting } from '../collecting-for-tests.ts'
import { collectInto, readEntry } from '../records/collect-for-tests.ts'
import { createSshConnections } from './connections.ts'
import type { SshAddress } from './handshake.ts'
import type { HostKeyTables } from './host-key-store.ts'
import { createHostKeys } from './host-keys.ts'
import { createSshCollector } from './ssh-collector.ts'

/** Collects a file of a remote host repeatedly, and reports each round, until it is killed. Started by the test of crashes. */
const [, , directory = '', remotePath = '', keyFolder = '', address = '{}'] = process.argv
const opened = await openCollecting(directory)
const hostKeys = createHostKeys({ db: opened.store.db.withTables<HostKeyTables>(), files: [], now: Date.now })
const collector = createSshCollector({
  connections: createSshConnections({ hostKeys, keyFolders: [keyFolder] }),
  addressOf: async () => JSON.parse(address) as SshAddress,
  maxExpandedBytes: 2 ** 26,
  now: Date.now,
})
const { glean } = collectInto(collector, opened)
const source = readEntry({
  id: 'app',
  transport: 'ssh',
  glean_type: 'plaintext',
  ssh_target: 'nas',
  remote_path: remotePath,
})
// Ends with its parent process.
const parent = createInterface({ input: createReadStream('', { fd: 0 }) })
parent.on('close', () => process.exit(1))
process.stdout.write('ready\n')
for (;;) {
  const { lines } = await glean(source)
  process.stdout.write(`${lines}\n`)
}
