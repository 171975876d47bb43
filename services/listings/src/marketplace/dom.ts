import type { parseDocument } from 'htmlparser2'

/** A node of parsed markup. */
export type ChildNode = ReturnType<typeof parseDocument>['children'][number]
/** A tag with its attributes and children. */
export type Element = Extract<ChildNode, { attribs: unknown }>
/** A node with children: an element, or the document itself. */
export type ParentNode = NonNullable<Element['parent']>
