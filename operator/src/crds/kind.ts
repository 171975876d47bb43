import type { Field, ReadOf, WriteOf } from './schema.ts'

export const group = 'trellis.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}` as const

/** A column of `kubectl get`. */
export type Column = {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** JSON path of the value from the object's root: `.status.phase`. */
  path: string
  description: string
  /** Only shown with `-o wide`. */
  wide?: true
}

export type KindDescription<Name extends string, Spec extends Field, Status extends Field> = {
  kind: Name
  plural: string
  shortName: string
  description: string
  spec: Spec
  status: Status
  /** Columns of this kind; Ready, Reason, Age and (wide) Message are added. */
  columns: readonly Column[]
  /** Fields supported by `kubectl get --field-selector` and watches. */
  selectable: readonly string[]
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string }
}

/** A kind: its description, typed by the spec and status of its objects. */
export type Kind<
  Name extends string = string,
  Spec extends Field = Field,
  Status extends Field = Field,
> = KindDescription<Name, Spec, Status>

/** Returns the description unchanged; the types of the kind's objects are inferred from it. */
export const defineKind = <const Name extends string, Spec extends Field, Status extends Field>(
  description: KindDescription<Name, Spec, Status>,
): Kind<Name, Spec, Status> => description

/** The spec as read, with defaults. */
export type SpecOf<K extends Kind> = ReadOf<K['spec']>
/** The spec as written, where fields with defaults are optional. */
export type SpecInputOf<K extends Kind> = WriteOf<K['spec']>
export type StatusOf<K extends Kind> = ReadOf<K['status']>
export type StatusInputOf<K extends Kind> = WriteOf<K['status']>

const readyCondition = (part: string) => `.status.conditions[?(@.type=="Ready")].${part}`

const commonColumns: readonly Column[] = [
  {
    name: 'Ready',
    type: 'string',
    path: readyCondition('status'),
    description: 'Whether the object matches its spec.',
  },
  {
    name: 'Reason',
    type: 'string',
    path: readyCondition('reason'),
    description: 'Why it is ready or not, as one word.',
  },
  { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'How long ago it was created.' },
]
const messageColumn: Column = {
  name: 'Message',
  type: 'string',
  path: readyCondition('message'),
  description: 'Why it is ready or not, as a sentence.',
  wide: true,
}

const printerColumn = ({ name, type, path, description, wide }: Column) => ({
  name,
  type,
  jsonPath: path,
  description,
  ...(wide ? { priority: 1 } : {}),
})

const rootSchema = ({ description, spec, status }: Kind) => ({
  type: 'object',
  description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: `apiVersion is the version of the schema: ${apiVersion}.` },
    kind: { type: 'string', description: 'kind is the kind of the object.' },
    // The API server supplies the description and rejects any other.
    metadata: { type: 'object' },
    spec: spec.schema,
    status: status.schema,
  },
})

/** Builds the CustomResourceDefinition of a kind. */
export const customResourceDefinition = (kind: Kind) => {
  const narrow = kind.columns.filter(({ wide }) => !wide)
  const wide = kind.columns.filter((column) => column.wide)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${group}`,
      labels: { 'app.kubernetes.io/name': 'trellis', 'app.kubernetes.io/part-of': 'trellis' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [kind.shortName],
        categories: ['trellis'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: [...narrow, ...commonColumns, ...wide, messageColumn].map(printerColumn),
          selectableFields: kind.selectable.map((jsonPath) => ({ jsonPath })),
          subresources: { status: {}, ...(kind.scale ? { scale: kind.scale } : {}) },
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  }
}
