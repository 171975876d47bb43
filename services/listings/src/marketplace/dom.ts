import { DomHandler, Parser, type parseDocument } from 'htmlparser2'

/** A node of parsed markup. */
export type ChildNode = ReturnType<typeof parseDocument>['children'][number]
/** A tag with its attributes and children. */
export type Element = Extract<ChildNode, { attribs: unknown }>
/** A node with children: an element, or the document itself. */
export type ParentNode = NonNullable<Element['parent']>

/** Elements nested deeper than this become siblings, as in browsers. Without a limit, selectors take quadratic time in the depth. */
const maxDepth = 512
/** What follows in a page that opens more elements within each other is not parsed, since the parser moves its list of open ones at each tag. */
export const mostOpen = 8_192

/** Parses markup. Time and memory are linear in its length. */
export const parseMarkup = (html: string): ChildNode[] => {
  const handler = new DomHandler()
  const parser = new Parser(handler)
  let depth = 0
  const { onopentag, onclosetag } = DomHandler.prototype
  handler.onopentag = (name, attributes) => {
    depth += 1
    onopentag.call(handler, name, attributes)
    if (depth > maxDepth) onclosetag.call(handler)
    if (depth > mostOpen) parser.pause()
  }
  handler.onclosetag = () => {
    if (depth <= maxDepth) onclosetag.call(handler)
    depth -= 1
  }
  parser.end(html)
  return handler.root.children
}

/** All elements among nodes and within them, in document order. */
export const elementsIn = (nodes: readonly ChildNode[]): readonly Element[] => {
  const found: Element[] = []
  const walk = (node: ChildNode) => {
    if (!('attribs' in node)) return
    found.push(node)
    for (const child of node.children) walk(child)
  }
  for (const node of nodes) walk(node)
  return found
}
