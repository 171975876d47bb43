import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileSource, openCollecting } from './collecting-for-tests.ts'

/** Collects files again and again, and says so after each round, until it is killed. Run by the test of crashes. */
const [, , directory = '', path = ''] = process.argv
const opened = await openCollecting(directory)
opened.setAhead(0)
const source = fileSource({ id: 'app', path })
// Ends with its parent, too.
const parent = createInterface({ input: createReadStream('', { fd: 0 }) })
parent.on('close', () => process.exit(1))
process.stdout.write('ready\n')
for (;;) {
  const { lines } = await opened.glean(source)
  process.stdout.write(`${lines}\n`)
}
