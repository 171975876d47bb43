import { baseConfig, ConfigError, readConfigs, type ValuesOf } from '@trellis/kit/config'
import { configPart, printConfig, rpcConfig, rpcSecurity, runProcess } from '@trellis/kit/process'
import openapi from '@trellis/protos/edge/openapi.json' with { type: 'json' }
import { routes } from '@trellis/protos/edge/routes.ts'
import { checkEdgeConfig, edgeConfig } from './config.ts'
import { addressConfig, connectServices } from './connect.ts'
import { createEdge } from './edge.ts'

const requireAddress = (addresses: ValuesOf<typeof addressConfig>): void => {
  if (Object.values(addresses).every((address) => address === ''))
    throw new ConfigError(
      'LISTINGS_ADDRESS, LOGS_ADDRESS or MUSIC_ADDRESS must be set: the edge needs at least one service.',
    )
}

const readAll = (environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, edge: edgeConfig, rpc: rpcConfig, addresses: addressConfig },
    environment,
    ({ edge, rpc, addresses }) => ({
      edgeCheck: () => checkEdgeConfig(edge),
      addressCheck: () => requireAddress(addresses),
      security: () => rpcSecurity(rpc),
    }),
  )

const connect = (...options: Parameters<typeof connectServices>) => {
  try {
    return connectServices(...options)
  } catch (error) {
    throw error instanceof TypeError ? new ConfigError(error.message, { cause: error }) : error
  }
}

await runProcess<ReturnType<typeof readAll>>({
  read: readAll,
  print: ({ base, edge, rpc, addresses }) =>
    printConfig([
      configPart('every process', baseConfig, base),
      configPart('edge', edgeConfig, edge),
      configPart('addresses of services', addressConfig, addresses),
      configPart('calls between processes', rpcConfig, rpc),
    ]),
  start: async ({ base, edge: config, security, addresses }, { log, metrics, isReady }) => {
    await using opened = new AsyncDisposableStack()
    const { backends, missing, isSessionEnded } = opened.use(connect(addresses, security, log))
    const edge = opened.use(
      await createEdge({
        config,
        routes,
        backends,
        ...(isSessionEnded && { isSessionEnded }),
        openapi,
        missing,
        isReady,
        log,
        metrics,
      }),
    )
    const address = await edge.listen(base.host, base.port)
    const stack = opened.move()
    return {
      readyLine: `Trellis edge is ready: ${address}`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
