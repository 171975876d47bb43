/** `follow.ts URL CLIENTS EVENTS` opens CLIENTS connections to a stream, prints `connected`, then `done` when each has received all events. */
import { get } from 'node:http'

const [url = '', clients = '1', events = '1'] = process.argv.slice(2)
const connections = Number(clients)
let connected = 0
let finished = 0

const follow = () => {
  let seen = 0
  get(url, { agent: false }, (response) => {
    connected += 1
    if (connected === connections) process.stdout.write('connected\n')
    response.on('data', (chunk: Buffer) => {
      if (seen >= Number(events)) return
      for (let at = chunk.indexOf('event: counted'); at >= 0; at = chunk.indexOf('event: counted', at + 1)) seen += 1
      if (seen < Number(events)) return
      finished += 1
      if (finished === connections) process.stdout.write('done\n', () => process.exit(0))
    })
  })
}

for (let opened = 0; opened < connections; opened += 1) follow()
