import type { Field, ReadOf, WriteOf } from './schema.ts'

export const group = 'trellis.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}` as const

/** A column of `kubectl get`. */
export type Column = {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** Where the value stands, from the object's root: `.status.phase`. */
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
  /** Those of its own; Ready, Reason, Age and (wide) Message are added. */
  columns: readonly Column[]
  /** Fields that `kubectl get --field-selector` and watches can select by. */
  selectable: readonly string[]
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string }
}

/** A kind: its description, and in its type the spec and the status of its objects. */
export type Kind<
  Name extends string = string,
  Spec extends Field = Field,
  Status extends Field = Field,
> = KindDescription<Name, Spec, Status>

/** Takes a description as it is; the types of the kind's objects follow from it. */
export const defineKind = <const Name extends string, Spec extends Field, Status extends Field>(
  description: KindDescription<Name, Spec, Status>,
): Kind<Name, Spec, Status> => description

/** The spec as a reader finds it, with defaults filled in. */
export type SpecOf<K extends Kind> = ReadOf<K['spec']>
/** The spec as it may be written, what has a default left out. */
export type SpecInputOf<K extends Kind> = WriteOf<K['spec']>
export type StatusOf<K extends Kind> = ReadOf<K['status']>
export type StatusInputOf<K extends Kind> = WriteOf<K['status']>

const readyCondition = (part: string) => `.status.conditions[?(@.type=="Ready")].${part}`

const commonColumns: readonly Column[] = [
  { name: 'Ready', type: 'string', path: readyCondition('status'), description: 'Whether it is as its spec wants it.' },
  { name: 'Reason', type: 'string', path: readyCondition('reason'), description: 'Why it is ready or not, in a word.' },
  { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'How long ago it was made.' },
]
const messageColumn: Column = {
  name: 'Message',
  type: 'string',
  path: readyCondition('message'),
  description: 'Why it is ready or not, in a sentence.',
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
    kind: { type: 'string', description: 'kind is what the object is.' },
    // Worded by the API server, which refuses to be told.
    metadata: { type: 'object' },
    spec: spec.schema,
    status: status.schema,
  },
})

/** The CustomResourceDefinition of a kind, as `kubectl apply` takes it. */
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
