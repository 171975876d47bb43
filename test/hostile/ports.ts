import { readdir, readFile, readlink } from 'node:fs/promises'

import { exchange } from './wire.ts'

const listening = '0A'

/** Inodes of listening TCP sockets, with their ports. */
const listeners = async (pid: number): Promise<Map<string, number>> => {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')))
  const rows = tables.flatMap((text) => text.trim().split('\n').slice(1)).map((line) => line.trim().split(/\s+/))
  return new Map(
    rows.flatMap(([, local = '', , state, , , , , , inode = '']) =>
      state === listening ? [[inode, Number.parseInt(local.split(':')[1] ?? '', 16)]] : [],
    ),
  )
}

/** TCP ports that a process listens on, on Linux. */
export const listeningPorts = async (pid: number): Promise<number[]> => {
  const ports = await listeners(pid)
  const descriptors = await readdir(`/proc/${pid}/fd`)
  const links = await Promise.all(descriptors.map((one) => readlink(`/proc/${pid}/fd/${one}`).catch(() => '')))
  const found = links.flatMap((link) => ports.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '') ?? [])
  return [...new Set(found)]
}

const hello = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')
const settingsType = 4

/** Whether a server answers the preface of HTTP/2 with its settings, as servers of gRPC do. */
export const speaksHttp2 = async (port: number): Promise<boolean> =>
  (await exchange(port, [hello])).charCodeAt(3) === settingsType
