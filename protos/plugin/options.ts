import {
  createRegistry,
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type Registry,
} from '@bufbuild/protobuf'
import type { Schema } from '@bufbuild/protoplugin'

export type MethodOptions = {
  status?: number
  stream?: number
  mediaTypes?: string[]
  errors?: number[]
  also?: number[]
  access?: number
  example?: string
  session?: boolean
  starts?: number
}

export type ServiceOptions = { mount: string; title: string; version: string; access: number; heartbeat: string }

export type FieldOptions = {
  header?: string
  event?: string
  omitNull?: boolean
  jsonText?: boolean
  example?: string
  default?: string
  eventId?: boolean
  form?: boolean
  inQuery?: boolean
  clamped?: boolean
  cookie?: string
}

export type HttpRule = { pattern: { case?: string; value?: string }; body: string }

export const works = ['none', 'search', 'generation', 'export'] as const

export const streams = ['none', 'sse', 'bytes', 'multipart', 'body'] as const
export const accesses = ['caller', 'open', 'caller', 'api_key', 'admin_key', 'branch_key'] as const

type Described = DescMethod | DescService | DescField | DescEnumValue

/**
 * Reads custom options from the plugin's own request: the extensions are looked up by name in a registry of its files, so nothing has to be
 * generated before the generator can run.
 */
export const createOptionReader = (schema: Schema) => {
  const registry: Registry = createRegistry(...schema.allFiles)
  const read = <Value>(described: Described, name: string): Value | undefined => {
    const extension: DescExtension | undefined = registry.getExtension(name)
    if (!extension || !hasOption(described, extension)) return undefined
    return getOption(described, extension) as Value
  }
  return {
    http: (method: DescMethod) => read<HttpRule>(method, 'google.api.http'),
    method: (method: DescMethod) => read<MethodOptions>(method, 'trellis.http.v1.method') ?? {},
    service: (service: DescService) => read<ServiceOptions>(service, 'trellis.http.v1.service'),
    field: (field: DescField) => read<FieldOptions>(field, 'trellis.http.v1.field') ?? {},
    word: (value: DescEnumValue) => read<{ word: string }>(value, 'trellis.http.v1.value')?.word,
    rules: (field: DescField) => read<Record<string, unknown>>(field, 'buf.validate.field'),
  }
}

export type OptionReader = ReturnType<typeof createOptionReader>
