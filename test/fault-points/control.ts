import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Fault, killMark, type Point } from './points.ts'

type Answer = { pid: number; program: string; id?: number; fired?: boolean; counts?: Omit<Point, 'program'>[] }
type Peer = { socket: Socket; pid: number; program: string }
type Command = { arm?: Fault; disarm?: true; reset?: true; counts?: true }

const answerLimit = 10_000

/** The control server of the injectors: arms faults in all processes of an installation, and reads their call counts. */
export const openFaultControl = async (directory: string) => {
  const peers = new Set<Peer>()
  const pending = new Map<number, (answer: Answer | undefined) => void>()
  let armed: Fault | undefined
  let lastId = 0
  const socketPath = join(directory, 'faults.sock')
  const mark = killMark(socketPath)
  const server = createServer((socket) => {
    let peer: Peer | undefined
    const lines = createInterface({ input: socket })
    lines.on('line', (line) => {
      const answer = JSON.parse(line) as Answer
      if (!peer) {
        peer = { socket, pid: answer.pid, program: answer.program }
        peers.add(peer)
        // A process that starts while a fault is armed gets it before its first call, unless it replaces the one that was killed.
        socket.write(`${JSON.stringify(armed && !existsSync(mark) ? { arm: armed } : {})}\n`)
      }
      if (answer.id !== undefined) pending.get(answer.id)?.(answer)
    })
    lines.on('error', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (peer) peers.delete(peer)
    })
  })
  server.listen(socketPath)
  await once(server, 'listening')

  const send = (peer: Peer, command: Command): Promise<Answer | undefined> =>
    new Promise((resolve) => {
      const id = ++lastId
      const settle = (answer: Answer | undefined) => {
        clearTimeout(timer)
        pending.delete(id)
        peer.socket.off('close', gone)
        resolve(answer)
      }
      const gone = () => settle(undefined)
      const timer = setTimeout(gone, answerLimit)
      pending.set(id, settle)
      peer.socket.once('close', gone)
      peer.socket.write(`${JSON.stringify({ id, ...command })}\n`)
    })
  const sendAll = async (command: Command) =>
    (await Promise.all([...peers].map((peer) => send(peer, command)))).filter((answer) => answer !== undefined)

  return {
    socketPath,
    arm: async (fault: Fault): Promise<void> => {
      await rm(mark, { force: true })
      armed = fault
      await sendAll({ arm: fault })
    },
    /** Whether the fault was injected. */
    disarm: async (): Promise<boolean> => {
      armed = undefined
      const answers = await sendAll({ disarm: true })
      return answers.some(({ fired }) => fired) || existsSync(mark)
    },
    reset: async (): Promise<void> => void (await sendAll({ reset: true })),
    /** The number of the last call of each function since the last reset, by program and thread. */
    counts: async (): Promise<Point[]> =>
      (await sendAll({ counts: true })).flatMap(({ program, counts = [] }) =>
        counts.map((point) => ({ program, ...point })),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of peers) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
export type FaultControl = Awaited<ReturnType<typeof openFaultControl>>
