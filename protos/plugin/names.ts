import type { DescEnum, DescMessage, DescService } from '@bufbuild/protobuf'
import type { Schema } from '@bufbuild/protoplugin'

type Named = DescMessage | DescEnum | DescService

const within = (described: Named): string =>
  described.typeName.slice(described.file.proto.package.length + 1).replaceAll('.', '_')

const packageWord = (described: Named): string => {
  const word = described.file.proto.package.split('.').at(-2) ?? ''
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Alias of a generated file in imports: `trellis/logs/v1/logs` becomes `trellis_logs_v1_logs`. */
export const fileAlias = (fileName: string): string => fileName.replaceAll(/[^a-z0-9]/gi, '_')

/**
 * Names of types in the generated code. A name is unique: if two packages use the same one, each gets its package's word as a prefix
 * (`ListingsHealthRequest`).
 */
export const createNames = (schema: Schema) => {
  const seen = new Map<string, Set<string>>()
  const note = (described: Named) => {
    const known = seen.get(within(described)) ?? new Set()
    seen.set(within(described), known.add(described.typeName))
    if (described.kind !== 'message') return
    for (const nested of [...described.nestedMessages, ...described.nestedEnums]) note(nested)
  }
  for (const file of schema.allFiles) for (const described of [...file.messages, ...file.enums]) note(described)
  return {
    /** The name in REST types, codec functions and the API document. */
    of: (described: Named): string =>
      (seen.get(within(described))?.size ?? 0) > 1
        ? `${packageWord(described)}${within(described)}`
        : within(described),
    /** The name of the generated message, with the file it comes from. */
    proto: (described: Named): string => `${fileAlias(described.file.name)}.${within(described)}`,
  }
}

export type Names = ReturnType<typeof createNames>
