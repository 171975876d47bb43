import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { explain } from './failing.ts'

/** Why the system does not let us listen there. */
const refusal = async (port: number, host = '127.0.0.1'): Promise<unknown> => {
  const server = createServer()
  const failed = once(server, 'error')
  server.listen(port, host)
  const [error] = await failed
  return error
}

test('a port in use, an address of another machine and an unknown name are each told apart', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  expect(explain(await refusal(port))).toBe(`Port ${port} is in use. Stop what listens there, or set PORT to another.`)
  expect(explain(await refusal(0, '192.0.2.1'))).toMatch(/^192\.0\.2\.1 is no address of this machine\. Set HOST/)
  expect(explain(await refusal(0, 'nowhere.invalid'))).toMatch(/^The name nowhere\.invalid is not known here\./)
  taken.close()
})

test('a privileged port is not taken for a file that may not be written, nor a file for a port', async () => {
  const listen = Object.assign(new Error('listen'), { code: 'EACCES', syscall: 'listen', port: 80 })
  expect(explain(listen)).toBe('Port 80 may not be listened on by this user. Set PORT to one above 1023.')
  const open = Object.assign(new Error('open'), { code: 'EACCES', syscall: 'open', path: '/data/x' })
  expect(explain(open)).toBe('/data/x may not be opened by this user. Change its owner or its permissions.')
})

test('an error of the system that no sentence fits is shown as it is', async () => {
  const error = await writeFile('/', '').catch((caught: unknown) => caught)
  expect(explain(error)).toContain('EISDIR')
})
