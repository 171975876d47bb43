import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { baseConfig } from '@trellis/kit/config'
import { loadKeyFile } from '@trellis/kit/credentials'
import { configPart, connectionsConfig, printConfig, runProcess } from '@trellis/kit/process'
import { lockDataDirectory } from '@trellis/kit/store'
import { type LaunchConfig, launchConfig, readLaunchConfig } from './config.ts'
import { layOut, serviceNames } from './layout.ts'
import { startLocalServers } from './local-servers.ts'
import { type ProcessSpec, runOnce, supervise } from './supervise.ts'

const printLine = (name: string, line: string) => void process.stdout.write(`${name.padEnd(12)} ${line}\n`)

const described = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

await runProcess<LaunchConfig>({
  read: readLaunchConfig,
  print: ({ base, connections, launch }) =>
    printConfig([
      configPart('every process', baseConfig, base),
      configPart('running servers; missing ones are started here', connectionsConfig, connections),
      configPart('this machine', launchConfig, launch),
    ]),
  start: async ({ base, connections, launch }) => {
    await using opened = new AsyncDisposableStack()
    const dataDirectory = join(resolve(base.dataDirectory), 'distributed')
    opened.use(await lockDataDirectory(dataDirectory))
    printLine('launcher', 'starting NATS, Postgres and a file store, unless configured')
    const servers = opened.use(
      await startLocalServers(connections, {
        directory: join(dataDirectory, 'servers'),
        environment: process.env,
        storingProcesses: launch.replicas * serviceNames.length,
        printLine: (line) => printLine('launcher', line),
      }),
    )
    const layout = await layOut({
      replicas: launch.replicas,
      port: base.port,
      dataDirectory,
      environment: {
        // Shared by all replicas and stable across restarts, so that encrypted settings stay readable.
        SERVICE_SETTINGS_KEY: Buffer.from(await loadKeyFile(join(dataDirectory, 'settings-key'))).toString('hex'),
        LOG_FORMAT: process.stdout.isTTY ? 'lines' : 'json',
        ...described(process.env),
      },
      grants: servers.grants,
      secret: randomBytes(24).toString('base64url'),
    })
    await Promise.all(layout.migrations.map(runOnce))
    printLine('launcher', 'the schemas are up to date')
    /** Starts a group concurrently. Groups end in reverse order. */
    const startGroup = async (group: readonly ProcessSpec[]) => {
      const running = await Promise.all(group.map((spec) => supervise(spec, printLine)))
      opened.defer(async () => {
        await Promise.all(running.map((one) => one.stop()))
      })
      await Promise.all(running.map((one) => one.ready))
    }
    await startGroup([layout.workloads])
    await startGroup(layout.services)
    await startGroup(layout.edges)
    const stack = opened.move()
    const addresses = layout.edges.map(({ port }) => `http://localhost:${port}`).join(' and ')
    return {
      readyLine: `Trellis is ready: ${addresses} (data in ${base.dataDirectory}/distributed; Ctrl-C ends it)`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
