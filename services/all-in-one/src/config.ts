import { checkEdgeConfig, edgeConfig } from '@trellis/edge'
import { baseConfig, describeConfig, readConfig } from '@trellis/kit/config'
import { listingsConfig } from '@trellis/listings'
import { logsConfig } from '@trellis/logs'
import { musicConfig } from '@trellis/music'

/** Reads what every part is told. Throws ConfigFailure, with one line that names the wrong variable. */
export const readAllConfig = (environment: NodeJS.ProcessEnv) => {
  const config = {
    base: readConfig(baseConfig, environment),
    edge: readConfig(edgeConfig, environment),
    listings: readConfig(listingsConfig, environment),
    logs: readConfig(logsConfig, environment),
    music: readConfig(musicConfig, environment),
  }
  checkEdgeConfig(config.edge)
  return config
}

export type AllConfig = ReturnType<typeof readAllConfig>

const describeAll = (config: AllConfig) => ({
  'every process': describeConfig(baseConfig, config.base),
  edge: describeConfig(edgeConfig, config.edge),
  listings: describeConfig(listingsConfig, config.listings),
  logs: describeConfig(logsConfig, config.logs),
  music: describeConfig(musicConfig, config.music),
})

/** Variables that somebody has set, but that nothing asks for yet. */
export const setButNotInUse = (config: AllConfig): string[] =>
  Object.values(describeAll(config)).flatMap((rows) =>
    rows.filter(({ isLater, isDefault }) => isLater && !isDefault).map(({ variable }) => variable),
  )

/** What is in force, as text for a person: variables by part, secrets masked, defaults marked. */
export const printConfig = (config: AllConfig): string => {
  const lines = Object.entries(describeAll(config)).flatMap(([part, rows]) => [
    `# ${part}`,
    ...rows.map(({ variable, value, isDefault, description }) => {
      const shown = Array.isArray(value) ? value.join(',') : String(value ?? '')
      return `${`${variable}=${shown}`.padEnd(48)}  # ${isDefault ? 'default. ' : ''}${description}`
    }),
    '',
  ])
  return lines.join('\n')
}
