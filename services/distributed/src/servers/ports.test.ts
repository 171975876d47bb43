import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort, reservePort } from './ports.ts'

const drawn = 50

const portsOfAnotherProcess = async (): Promise<number[]> => {
  const source = `import { freePort } from ${JSON.stringify(new URL('ports.ts', import.meta.url).href)}
    for (let left = ${drawn}; left > 0; left -= 1) console.log(await freePort())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source])
  return stdout.trim().split('\n').map(Number)
}

test('a process gets no port twice, whether it requests ports concurrently or in sequence', async () => {
  const atOnce = await Promise.all(Array.from({ length: drawn }, freePort))
  const later = [await freePort(), await freePort()]
  expect(new Set([...atOnce, ...later]).size).toBe(drawn + 2)
})

test('processes get no port that another process got but does not listen on yet', async () => {
  const mine = await Promise.all(Array.from({ length: drawn }, freePort))
  const others = await Promise.all([portsOfAnotherProcess(), portsOfAnotherProcess()])
  expect(others.flat().filter((port) => mine.includes(port))).toEqual([])
})

test('a reserved port stays in use until its release', async () => {
  const reserved = await reservePort()
  const server = createServer()
  server.listen(reserved.port, '127.0.0.1')
  await expect(once(server, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await reserved[Symbol.asyncDispose]()
  server.listen(reserved.port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
})

test('a connection to a reserved port is closed at once, and does not prevent its release', {
  timeout: 20_000,
}, async () => {
  const reserved = await reservePort()
  const open = () => connect(reserved.port, '127.0.0.1').resume()
  await once(open(), 'close')
  const socket = open()
  await once(socket, 'connect')
  await reserved[Symbol.asyncDispose]()
  socket.destroy()
})
