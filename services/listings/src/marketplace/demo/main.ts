import { baseConfig, readConfig } from '@trellis/kit/config'
import { configPart, printConfig, runProcess } from '@trellis/kit/process'
import { listingsConfig } from '../../config.ts'
import { startDemoMarketplace } from './server.ts'

const { notificationEndpoint } = listingsConfig

/** The demo marketplace as a separate process, for workers on other machines (MARKETPLACE_DEMO_URL). */
await runProcess({
  read: (environment) => ({
    base: readConfig(baseConfig, environment),
    own: readConfig({ notificationEndpoint }, environment),
  }),
  print: ({ base, own }) =>
    printConfig([configPart('every process', baseConfig, base), configPart('the demo', { notificationEndpoint }, own)]),
  start: async ({ base: { host, port }, own }) => {
    const demo = await startDemoMarketplace({ host, port, ...own })
    return { readyLine: `The demo marketplace is ready at ${demo.url}`, [Symbol.asyncDispose]: demo.close }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
