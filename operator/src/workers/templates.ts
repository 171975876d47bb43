import { readFileSync } from 'node:fs'
import { ConfigError } from '@trellis/kit/config'
import type { EnvironmentVariable, Quantities, Resources, Toleration, Volume, VolumeMount } from './pod-spec.ts'
import {
  anyObject,
  anyText,
  type FieldReader,
  fieldsOf,
  listOf,
  mapOf,
  oneOf,
  openFields,
  quantity,
  text,
  wholeNumber,
} from './template-fields.ts'

/** The configured template of a kind of pod. Fields are those of `core/v1` Pod and Container. */
export type WorkerTemplate = {
  image: string
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  imagePullSecrets?: readonly { name: string }[]
  command: readonly string[]
  env?: readonly EnvironmentVariable[]
  envFrom?: readonly object[]
  resources?: Resources
  nodeSelector?: Readonly<Record<string, string>>
  tolerations?: readonly Toleration[]
  affinity?: object
  topologySpreadConstraints?: readonly object[]
  priorityClassName?: string
  /** Priority class of idle pods in pools; `priorityClassName` by default. A pod retains it when it is claimed. */
  poolPriorityClassName?: string
  runtimeClassName?: string
  podLabels?: Readonly<Record<string, string>>
  podAnnotations?: Readonly<Record<string, string>>
  serviceAccountName?: string
  /** For pods with a volume: the group of its files, left to the cluster if the context has none. */
  podSecurityContext?: { fsGroup?: number }
  extraVolumes?: readonly Volume[]
  extraVolumeMounts?: readonly VolumeMount[]
}

/** The templates of all kinds of pods. */
export type WorkerTemplates = { search: WorkerTemplate; generation: WorkerTemplate; branch: WorkerTemplate }

const variable: FieldReader<EnvironmentVariable> = (value, path) => {
  const read = fieldsOf<EnvironmentVariable>({ name: text, value: anyText, valueFrom: anyObject }, ['name'])(
    value,
    path,
  )
  if (read.value !== undefined && read.valueFrom !== undefined)
    throw new ConfigError(`${path} must have value or valueFrom, not both.`)
  return read
}

const quantities: FieldReader<Quantities> = mapOf(quantity)

const template = fieldsOf<WorkerTemplate>(
  {
    image: text,
    imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    imagePullSecrets: listOf(fieldsOf<{ name: string }>({ name: text }, ['name'])),
    command: listOf(text, 1),
    env: listOf(variable),
    envFrom: listOf(anyObject),
    resources: fieldsOf<Resources>({ requests: quantities, limits: quantities }, []),
    nodeSelector: mapOf(anyText),
    tolerations: listOf(anyObject),
    affinity: anyObject,
    topologySpreadConstraints: listOf(anyObject),
    priorityClassName: text,
    poolPriorityClassName: text,
    runtimeClassName: text,
    podLabels: mapOf(anyText),
    podAnnotations: mapOf(anyText),
    serviceAccountName: text,
    podSecurityContext: fieldsOf<{ fsGroup?: number }>({ fsGroup: wholeNumber }, []),
    extraVolumes: listOf(openFields<Volume>({ name: text })),
    extraVolumeMounts: listOf(openFields<VolumeMount>({ name: text, mountPath: text })),
  },
  ['image', 'command'],
)

const templates = fieldsOf<WorkerTemplates>({ search: template, generation: template, branch: template }, [
  'search',
  'generation',
  'branch',
])

/**
 * Parses the JSON text of the templates; `origin` names it in errors. Throws ConfigError, whose message names the first
 * wrong field: `workers.json: search.command must be a list of at least 1.`
 */
export const parseWorkerTemplates = (json: string, origin: string): WorkerTemplates => {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch (cause) {
    throw new ConfigError(`${origin} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
  try {
    return templates(document, '')
  } catch (cause) {
    if (cause instanceof ConfigError) throw new ConfigError(`${origin}: ${cause.message}`, { cause })
    throw cause
  }
}

/** Reads the file that TRELLIS_WORKERS names. Throws ConfigError if it is unreadable or invalid. */
export const readWorkerTemplates = (file: string): WorkerTemplates => {
  let json: string
  try {
    json = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`TRELLIS_WORKERS names ${file}, which cannot be read.`, { cause })
  }
  return parseWorkerTemplates(json, file)
}
