import * as vscode from 'vscode';
import type { Position } from '../../../core/text/span.ts';

/** A range of 1-based positions as VS Code counts them. */
export const placedRange = ({ start, end }: { readonly start: Position; readonly end: Position }): vscode.Range =>
  new vscode.Range(start.line - 1, start.column - 1, end.line - 1, end.column - 1);
