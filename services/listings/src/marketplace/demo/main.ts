import { baseConfig, readConfig } from '@trellis/kit/config'
import { configPart, printConfig, runProcess } from '@trellis/kit/process'
import { startDemoMarketplace } from './server.ts'

/** The demo marketplace as a separate process, for workers on other machines (MARKETPLACE_DEMO_URL). */
await runProcess({
  read: (environment) => ({ base: readConfig(baseConfig, environment) }),
  print: ({ base }) => printConfig([configPart('every process', baseConfig, base)]),
  start: async ({ base: { host, port } }) => {
    const demo = await startDemoMarketplace({ host, port })
    return { readyLine: `The demo marketplace is ready at ${demo.url}`, [Symbol.asyncDispose]: demo.close }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
