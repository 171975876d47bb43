import { families } from './catalogue.ts'

/** The id of the demo's only category tree. */
export const treeId = '0'

type Node = { readonly category: { readonly categoryId: string; readonly categoryName: string } } & {
  readonly childCategoryTreeNodes?: readonly Node[]
}

type Category = (typeof families)[number]['category']

/** The categories below `parents`. Only leaves have an id of their own; the others get one from the first leaf below them. */
const nodesBelow = (parents: number, categories: readonly Category[]): readonly Node[] =>
  [...Map.groupBy(categories, ({ path }) => path[parents])].flatMap(([name, below]) => {
    const [first] = below
    if (name === undefined || first === undefined) return []
    const isLeaf = first.path.length === parents + 1
    const categoryId = isLeaf ? first.id : `${first.id}${first.path.length - parents - 1}`
    const category = { categoryId, categoryName: name }
    return [isLeaf ? { category } : { category, childCategoryTreeNodes: nodesBelow(parents + 1, below) }]
  })

/** The category tree, in the shape of the real API. */
export const categoryTree = () => ({
  categoryTreeId: treeId,
  rootCategoryNode: {
    category: { categoryId: '0', categoryName: 'Root' },
    childCategoryTreeNodes: nodesBelow(
      0,
      families.map(({ category }) => category),
    ),
  },
})
