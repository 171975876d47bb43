import { readFileSync } from 'node:fs'
import { ConfigError } from '@trellis/kit/config'
import { closedObject, readDocument, shownPath } from '@trellis/kit/documents'
import { messageOf } from '@trellis/kit/errors'
import { z } from 'zod'
import type { EnvironmentVariable, Quantities, Resources, Toleration, Volume, VolumeMount } from './pod-spec.ts'

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
  hostAliases?: readonly object[]
  dnsConfig?: object
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

const text = z.string('must be a text that is not empty').min(1, 'must be a text that is not empty')
/** A text that may be empty, like the value of a variable. */
const anyText = z.string('must be a text; numbers and true or false need quotes')
/** An object that only the API server validates. */
const anyObject = z.record(z.string(), z.unknown(), 'must be an object')
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item, 'must be a list')
const textMap = z.record(z.string(), anyText, 'must be an object')

/** A Kubernetes quantity; the API server validates it. */
const isQuantity = (value: unknown): value is string | number =>
  typeof value === 'string'
    ? /^\d+(\.\d+)?([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/.test(value)
    : typeof value === 'number' && value >= 0
const quantity = z.custom<string | number>(isQuantity, 'must be a quantity such as 250m, 2 or 512Mi')
const quantities: z.ZodType<Quantities> = z.record(z.string(), quantity, 'must be an object')

const variable: z.ZodType<EnvironmentVariable> = closedObject({
  name: text,
  value: anyText.exactOptional(),
  valueFrom: anyObject.exactOptional(),
}).refine(({ value, valueFrom }) => value === undefined || valueFrom === undefined, {
  error: 'must have value or valueFrom, not both',
})

const resources: z.ZodType<Resources> = closedObject({
  requests: quantities.exactOptional(),
  limits: quantities.exactOptional(),
})

const template: z.ZodType<WorkerTemplate> = closedObject({
  image: text,
  imagePullPolicy: z
    .enum(['Always', 'IfNotPresent', 'Never'], 'must be one of Always, IfNotPresent, Never')
    .exactOptional(),
  imagePullSecrets: listOf(closedObject({ name: text })).exactOptional(),
  command: listOf(text).min(1, 'must be a list of at least 1'),
  env: listOf(variable).exactOptional(),
  envFrom: listOf(anyObject).exactOptional(),
  resources: resources.exactOptional(),
  nodeSelector: textMap.exactOptional(),
  tolerations: listOf(anyObject).exactOptional(),
  affinity: anyObject.exactOptional(),
  topologySpreadConstraints: listOf(anyObject).exactOptional(),
  priorityClassName: text.exactOptional(),
  poolPriorityClassName: text.exactOptional(),
  runtimeClassName: text.exactOptional(),
  hostAliases: listOf(anyObject).exactOptional(),
  dnsConfig: anyObject.exactOptional(),
  podLabels: textMap.exactOptional(),
  podAnnotations: textMap.exactOptional(),
  serviceAccountName: text.exactOptional(),
  podSecurityContext: closedObject({
    fsGroup: z.int('must be a whole number from 0').nonnegative('must be a whole number from 0').exactOptional(),
  }).exactOptional(),
  extraVolumes: listOf(z.looseObject({ name: text }, 'must be an object')).exactOptional(),
  extraVolumeMounts: listOf(z.looseObject({ name: text, mountPath: text }, 'must be an object')).exactOptional(),
})

const templates: z.ZodType<WorkerTemplates> = closedObject({ search: template, generation: template, branch: template })

/**
 * Parses the JSON text of the templates; `origin` names it in errors. Throws ConfigError, whose message names the first
 * wrong field: `workers.json: search.command must be a list of at least 1.`
 */
export const parseWorkerTemplates = (json: string, origin: string): WorkerTemplates => {
  let document: unknown
  try {
    // Charts render null for values that are left open.
    document = JSON.parse(json, (_, value) => value ?? undefined)
  } catch (cause) {
    throw new ConfigError(`${origin} is not JSON: ${messageOf(cause)}`, { cause })
  }
  const read = readDocument(templates, document)
  if ('value' in read) return read.value
  const { path, message } = read.problem
  throw new ConfigError(`${origin}: ${shownPath(path) || 'the document'} ${message}.`)
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
