import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileSource, openCollecting } from './collecting-for-tests.ts'

/** Collects files repeatedly, and reports each round, until it is killed. Started by the test of crashes. */
const [, , directory = '', path = ''] = process.argv
const opened = await openCollecting(directory)
opened.setAhead(0)
const source = fileSource({ id: 'app', path })
// Ends with its parent process.
const parent = createInterface({ input: createReadStream('', { fd: 0 }) })
parent.on('close', () => process.exit(1))
process.stdout.write('ready\n')
for (;;) {
  const { lines } = await opened.glean(source)
  process.stdout.write(`${lines}\n`)
}
