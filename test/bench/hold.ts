/** `hold.ts URL CLIENTS` opens streams on separate sockets, prints `connected` when all have started, and holds them until it is killed. */
import { connect } from 'node:net'

const [address = '', clients = '1'] = process.argv.slice(2)
const url = new URL(address)
const connections = Number(clients)
/** Connections opened at once: more would overflow the backlog of the listening socket. */
const lanes = 64
let begun = 0
let requested = 0

const open = () => {
  if (requested === connections) return
  requested += 1
  const socket = connect(Number(url.port), url.hostname, () =>
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n\r\n`),
  )
  socket.once('data', () => {
    begun += 1
    if (begun === connections) process.stdout.write('connected\n')
    open()
  })
  socket.resume()
  socket.on('error', (error) => {
    throw error
  })
}

for (let lane = 0; lane < lanes; lane += 1) open()
