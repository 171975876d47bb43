import { printConfig, runProcess } from '@trellis/kit/process'
import { createTlsFiles, serveGrpc } from '@trellis/kit/rpc'
import { lockDataDirectory } from '@trellis/kit/store'
import { createBranchNode } from '@trellis/logs'
import { createBranchNotifier, notifyParent } from './branch-notifier.ts'
import { type Config, configParts, readAll } from './config.ts'
import { createIntake } from './intake.ts'

/** Runs one branch as a process: accepts batches over HTTP with its key, stores them in its data directory, and serves searches over gRPC. */
await runProcess<Config>({
  read: readAll,
  print: (config) => printConfig(configParts(config)),
  start: async ({ base, branch: config, serve, security, bus }, { log, metrics }) => {
    await using opened = new AsyncDisposableStack()
    const { host, port, dataDirectory } = base
    opened.use(await lockDataDirectory(dataDirectory))
    const events = opened.use(createBranchNotifier(bus, config.slug, log))
    const node = opened.use(await createBranchNode({ config, dataDirectory, notify: events.notify, log }))
    const rpc = opened.use(
      await serveGrpc(node.implementations, {
        address: serve.rpcAddress,
        security,
        drainMilliseconds: serve.shutdownSeconds * 1_000,
        onInternal: (error, { requestId }) =>
          log.error({ err: error, requestId }, 'rpc: call failed with an internal error'),
      }),
    )
    const { shutdownSeconds } = serve
    const tls = serve.takesTls && security.tls ? createTlsFiles(security.tls) : undefined
    const intake = opened.use(await createIntake({ node, config, shutdownSeconds, tls, log, metrics }))
    const address = await intake.listen(host, port)
    notifyParent({ kind: 'ready', rpcAddress: rpc.address })
    const stack = opened.move()
    return {
      readyLine: `Trellis branch ${config.slug} is ready at ${address}`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
