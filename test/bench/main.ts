/** `npm run bench`: measures what this machine does, and prints it with the machine and the versions. `npm run bench -- edge` runs one part. */
import { benchEdge } from './edge.ts'
import { benchLogs } from './logs.ts'
import { machineLines } from './machine.ts'
import { benchMusic } from './music.ts'
import { benchPages } from './pages.ts'
import { benchStart } from './start.ts'
import { benchStreams } from './streams.ts'

const parts: Record<string, () => Promise<string[]>> = {
  start: benchStart,
  edge: benchEdge,
  streams: benchStreams,
  listings: benchPages,
  logs: benchLogs,
  music: benchMusic,
}

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !Object.hasOwn(parts, name))
if (unknown !== undefined) {
  process.stderr.write(`There is no bench "${unknown}". There are: ${Object.keys(parts).join(', ')}.\n`)
  process.exit(1)
}

const say = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`)

say(machineLines(`npm run bench${wanted.length > 0 ? ` -- ${wanted.join(' ')}` : ''}`))
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  say(['', `## ${name}`])
  say(await measure())
}
