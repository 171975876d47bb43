import type { ChildNode, Element } from './dom.ts'
import { hiddenClasses, struck } from './layouts.ts'

/** A run of text in a card, and whether its surroundings strike it through. */
export type Line = { readonly text: string; readonly isStruck: boolean; readonly element: Element | undefined }

const silentTags = new Set(['script', 'style', 'svg', 'template', 'noscript'])
const inlineTags = new Set(['a', 'b', 'i', 'em', 'strong', 'font', 'bdi', 'sup', 'sub', 'small'])
/**
 * Invisible characters that pages put between letters so that words cannot be found, and controls of the writing direction, which would also reverse the
 * text around a title. Joiners stay where writing needs them: in emoji, and in scripts whose letters change with their neighbours.
 */
const invisible =
  /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]|(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]|^)[\u200c\u200d]+|[\u200c\u200d]+(?=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]|$)/gu

const isHidden = ({ attribs }: Element): boolean => {
  const classes = attribs.class
  return (
    classes !== undefined && hiddenClasses.some((name) => classes.includes(name)) && classes.split(/\s+/).some(hides)
  )
}

/** Whether an element strikes its text through, by tag, class or style. */
export const strikes = ({ name, attribs }: Element): boolean =>
  struck.tags.some((tag) => tag === name) ||
  (attribs.class !== undefined && struck.classes.test(attribs.class)) ||
  attribs.style?.includes('line-through') === true

/** Whether a class token hides text, with or without the prefix of a component: `clipped`, `su-visually-hidden`. */
const hides = (token: string): boolean => hiddenClasses.some((name) => token === name || token.endsWith(`-${name}`))

const squeeze = (text: string): string => text.replace(invisible, '').replace(/\s+/g, ' ').trim()

/** Text of a node as a reader sees it: without hidden words, scripts and (with `withStruck: false`) struck text. */
export const visibleText = (node: ChildNode | Element, { withStruck = true } = {}): string => {
  const parts: string[] = []
  const walk = (current: ChildNode) => {
    if (current.type === 'text') parts.push(current.data)
    else if ('name' in current && 'children' in current) {
      if (silentTags.has(current.name) || isHidden(current) || (!withStruck && strikes(current))) return
      for (const child of current.children) walk(child)
      if (!inlineTags.has(current.name)) parts.push(' ')
    }
  }
  walk(node)
  return squeeze(parts.join(''))
}

/** Longest run of text that is read, in characters: the patterns of the facts in a card take quadratic time in their input. */
const longestLine = 500

/** The visible runs of text under the nodes, in document order, each with its innermost element. Skips `except` and its contents. */
export const lines = (nodes: readonly ChildNode[], except: ReadonlySet<Element> = new Set()): readonly Line[] => {
  const found: Line[] = []
  const walk = (node: ChildNode, parent: Element | undefined, isStruck: boolean) => {
    if (node.type === 'text') {
      const text = squeeze(node.data).slice(0, longestLine)
      if (text !== '') found.push({ text, isStruck, element: parent })
    } else if ('name' in node && 'children' in node) {
      if (silentTags.has(node.name) || isHidden(node) || except.has(node)) return
      const here = isStruck || strikes(node)
      for (const child of node.children) walk(child, node, here)
    }
  }
  for (const node of nodes) walk(node, undefined, false)
  return found
}
