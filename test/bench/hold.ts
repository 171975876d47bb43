/** `hold.ts URL CLIENTS` opens so many streams on sockets of their own, says `connected` when each has begun, and holds them until it is ended. */
import { connect } from 'node:net'

const [given = '', clients = '1'] = process.argv.slice(2)
const url = new URL(given)
const desired = Number(clients)
/** At once: more would not fit into the backlog of the listening socket. */
const lanes = 64
let begun = 0
let requested = 0

const open = () => {
  if (requested === desired) return
  requested += 1
  const socket = connect(Number(url.port), url.hostname, () =>
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n\r\n`),
  )
  socket.once('data', () => {
    begun += 1
    if (begun === desired) process.stdout.write('connected\n')
    open()
  })
  socket.resume()
  socket.on('error', (error) => {
    throw error
  })
}

for (let lane = 0; lane < lanes; lane += 1) open()
