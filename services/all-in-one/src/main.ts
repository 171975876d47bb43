import { printConfig, runProcess, setButNotInUse } from '@trellis/kit/process'
import { composeTrellis } from './compose.ts'
import { type AllConfig, configParts, readAllConfig } from './config.ts'

await runProcess<AllConfig>({
  read: readAllConfig,
  print: (config) => printConfig(configParts(config)),
  start: async (config, tools) => {
    const idleSettings = setButNotInUse(configParts(config))
    if (idleSettings.length > 0)
      tools.log.warn(
        { variables: idleSettings },
        'settings without effect: this version does not have their features yet',
      )
    await using opened = new AsyncDisposableStack()
    const { host, port, dataDirectory } = config.base
    const { edge } = opened.use(await composeTrellis(config, tools))
    const address = await edge.listen(host, port)
    const shown = address.replace('127.0.0.1', 'localhost')
    const stack = opened.move()
    return {
      readyLine: `Trellis is ready: ${shown} (data in ${dataDirectory}; Ctrl-C ends it)`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  },
  environment: process.env,
  words: process.argv.slice(2),
})
