export { closedObject, type DocumentProblem, listed, oneOf, optional, readDocument, shownPath } from './documents.ts'
