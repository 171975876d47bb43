import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ExecutableMissing, findNatsServer, isExecutable } from '@trellis/distributed/servers'

/** The release for machines without nats-server, of the minor version that the chart installs. */
const version = '2.12.15'

/** Outside of the checkout, so that other clones find it. */
const cacheFolder = (environment: NodeJS.ProcessEnv): string =>
  join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trellis', `nats-server-${version}`)

const succeeds = (command: string, args: string[], environment: NodeJS.ProcessEnv): boolean =>
  spawnSync(command, args, { env: environment, stdio: 'ignore', timeout: 600_000 }).status === 0

const output = (command: string, args: string[], environment: NodeJS.ProcessEnv): string => {
  const { status, stdout } = spawnSync(command, args, { env: environment, encoding: 'utf8', timeout: 600_000 })
  return status === 0 ? stdout.trim() : ''
}

/** Ways to get the program into a folder. Each returns whether it succeeded. */
const sources = [
  {
    name: 'Go',
    bring: (folder: string, environment: NodeJS.ProcessEnv) =>
      succeeds('go', ['install', `github.com/nats-io/nats-server/v2@v${version}`], { ...environment, GOBIN: folder }),
  },
  {
    name: 'Docker',
    bring: (folder: string, environment: NodeJS.ProcessEnv) => {
      const container = output('docker', ['create', `nats:${version}`], environment)
      if (container === '') return false
      const copied = succeeds('docker', ['cp', `${container}:/nats-server`, folder], environment)
      succeeds('docker', ['rm', container], environment)
      return copied
    },
  },
]

const isPresent = (environment: NodeJS.ProcessEnv): boolean => {
  try {
    findNatsServer(environment)
    return true
  } catch (error) {
    if (error instanceof ExecutableMissing) return false
    throw error
  }
}

const bring = (folder: string, environment: NodeJS.ProcessEnv): string | undefined => {
  mkdirSync(join(folder, '..'), { recursive: true })
  for (const source of sources) {
    // A draft folder, so that an interrupted attempt leaves nothing that looks complete.
    const draft = mkdtempSync(`${folder}-`)
    try {
      if (!source.bring(draft, environment) || !isExecutable(join(draft, 'nats-server'))) continue
      rmSync(folder, { recursive: true, force: true })
      renameSync(draft, folder)
      return source.name
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return undefined
}

export type NatsServerOptions = {
  /** Whether the run needs nats-server. Called lazily, only if neither the machine nor the cache has one. */
  isNeeded: () => boolean
  print: (line: string) => void
  isThere?: (environment: NodeJS.ProcessEnv) => boolean
}

/**
 * The path of a nats-server for machines without one: from the cache of an earlier run, otherwise built by Go or copied from its image by
 * Docker, whichever works. Undefined if the machine has one, or if it cannot be provided; tests that need it are then skipped.
 */
export const provideNatsServer = (
  environment: NodeJS.ProcessEnv,
  { isNeeded, print, isThere = isPresent }: NatsServerOptions,
): string | undefined => {
  if (environment.NATS_SERVER_BIN || isThere(environment)) return undefined
  const folder = cacheFolder(environment)
  const program = join(folder, 'nats-server')
  if (isExecutable(program)) return program
  if (!isNeeded()) return undefined
  const source = bring(folder, environment)
  print(
    source === undefined
      ? 'Tests of the distributed form, and all others that need nats-server, are skipped without it: install Go or start Docker, put it on the PATH, or set NATS_SERVER_BIN.'
      : `nats-server ${version} was brought by ${source} to ${folder}`,
  )
  return source === undefined ? undefined : program
}
