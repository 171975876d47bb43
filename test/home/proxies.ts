import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { whereIs } from '../support/where-is.ts'

/** What the examples of proxies are changed to for a test. */
export type Site = {
  /** An empty folder for files of the proxy. */
  folder: string
  port: number
  /** The address of Trellis, `127.0.0.1:8080`. */
  upstream: string
  certificateFile: string
  keyFile: string
}

/** A proxy of deploy/home: the program, what its example becomes, and how it is started. */
type Proxy = { program: string; example: string; write: (example: string, site: Site) => string; words: string[] }

/** Replaces what an example must contain. */
const replaced = (text: string, changes: readonly (readonly [string, string])[]): string =>
  changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The example has no "${from}".`)
    return changed.replaceAll(from, to)
  }, text)

export const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: 'nginx',
    example: 'nginx.conf',
    write: (example, { folder, port, upstream, certificateFile, keyFile }) => {
      const site = replaced(example, [
        ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
        ['/etc/ssl/trellis.pem', certificateFile],
        ['/etc/ssl/trellis.key', keyFile],
        ['127.0.0.1:8080', upstream],
      ])
      const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${join(folder, kind)};`,
      )
      return [
        'daemon off; worker_processes 1;',
        `pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};`,
        `events {} http { access_log off; ${folders.join(' ')}`,
        site,
        '}',
      ].join('\n')
    },
    words: ['-e', 'stderr', '-c'],
  },
  Caddy: {
    program: 'caddy',
    example: 'Caddyfile',
    write: (example, { port, upstream, certificateFile, keyFile }) => {
      const site = replaced(example, [
        [
          'trellis.example.com {',
          `trellis.example.com:${port} {\n\tbind 127.0.0.1\n\ttls ${certificateFile} ${keyFile}`,
        ],
        ['127.0.0.1:8080', upstream],
      ])
      return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`
    },
    words: ['run', '--adapter', 'caddyfile', '--config'],
  },
}

/** Why a proxy cannot be tested here. */
export const proxyMissing = ({ program }: Proxy): string | undefined =>
  whereIs(program) === undefined ? `${program} is not installed` : undefined

const takesConnections = (port: number) =>
  new Promise<boolean>((resolve) => {
    const connection = connect(port, '127.0.0.1')
    connection.once('error', () => resolve(false))
    connection.once('connect', () => {
      connection.destroy()
      resolve(true)
    })
  })

const untilListening = async (child: ChildProcess, port: number): Promise<boolean> => {
  for (let left = 600; left > 0 && child.exitCode === null; left--) {
    if (await takesConnections(port)) return true
    await sleep(50)
  }
  return false
}

const examples = new URL('../../deploy/home/', import.meta.url)

/** Starts a proxy with its example. Rejects with its output if it does not listen. */
export const startProxy = async ({ program, example, write, words }: Proxy, site: Site): Promise<AsyncDisposable> => {
  await mkdir(site.folder, { recursive: true })
  const file = join(site.folder, example)
  await writeFile(file, write(await readFile(new URL(example, examples), 'utf8'), site))
  const child = spawn(program, [...words, file], {
    env: { PATH: process.env.PATH, HOME: site.folder, XDG_DATA_HOME: site.folder, XDG_CONFIG_HOME: site.folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = once(child, 'close')
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  if (!(await untilListening(child, site.port))) {
    await end()
    throw new Error(`${program} does not listen:\n${output}`)
  }
  return { [Symbol.asyncDispose]: end }
}
