/**
 * Job that generates the missing secrets of an installation and shares what workers need; runs before everything else.
 */
import { ConfigError, read, readConfig, setting } from '@trellis/kit/config'
import { createHttpClient } from '../runtime/mod.ts'
import { requireApiKey } from './required-keys.ts'
import { completeSecret } from './secret-values.ts'
import { shareSecret } from './shared-secrets.ts'

const optionalText = read.optional(read.text)

const config = {
  name: setting('SECRET_NAME', optionalText, undefined, 'The Secret to complete.'),
  namespace: setting('POD_NAMESPACE', optionalText, undefined, 'Its namespace.'),
  instance: setting('TRELLIS_INSTANCE', read.text, 'trellis', 'The installation that it belongs to.'),
  keys: setting('KEYS_SECRET', optionalText, undefined, 'A Secret that must hold the API key of the log service.'),
  watched: setting('WATCH_NAMESPACES', read.list, [], 'Other namespaces in which workers run, comma-separated.'),
}

const must = (value: string | undefined, variable: string): string => {
  if (value === undefined) throw new ConfigError(`${variable} must be set.`)
  return value
}

const complete = async (): Promise<string> => {
  const {
    name: configuredName,
    namespace: configuredNamespace,
    instance,
    keys,
    watched,
  } = readConfig(config, process.env)
  const name = must(configuredName, config.name.variable)
  const namespace = must(configuredNamespace, config.namespace.variable)
  const labels = {
    'app.kubernetes.io/name': 'trellis',
    'app.kubernetes.io/part-of': 'trellis',
    'app.kubernetes.io/instance': instance,
  }
  await using client = createHttpClient()
  if (keys !== undefined) await requireApiKey(client, { name: keys, namespace })
  const drawn = await completeSecret(client, { name, namespace, labels })
  const shared = await shareSecret(client, { name, namespace, labels }, watched)
  return [
    drawn.length === 0 ? `The Secret ${name} is complete.` : `Generated in the Secret ${name}: ${drawn.join(', ')}.`,
    ...(shared.length === 0 ? [] : [`Keys that workers need were copied to ${shared.join(', ')}.`]),
  ].join('\n')
}

try {
  process.stdout.write(`${await complete()}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
