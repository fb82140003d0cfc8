/* Parses standard input as HTML, or with -DXML as XML, and prints the tree of elements. */
#include <stdio.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>

static void print_tree(const xmlNode *node, int depth)
{
	for (; node; node = node->next) {
		if (node->type == XML_TEXT_NODE)
			printf("%*s\"%s\"\n", 2 * depth, "", (const char *)node->content);
		if (node->type != XML_ELEMENT_NODE)
			continue;
		printf("%*s%s", 2 * depth, "", (const char *)node->name);
		for (const xmlAttr *a = node->properties; a; a = a->next)
			printf(" %s=%s", (const char *)a->name,
			    a->children && a->children->content ? (const char *)a->children->content : "");
		putchar('\n');
		print_tree(node->children, depth + 1);
	}
}

int main(void)
{
	static char text[1 << 16];
	int size = (int)fread(text, 1, sizeof text, stdin);
#ifdef XML
	xmlDocPtr page = xmlReadMemory(text, size, "stdin", NULL,
	    XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET);
#else
	htmlDocPtr page = htmlReadMemory(text, size, "stdin", NULL,
	    HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
#endif
	if (!page) {
		puts("no document");
		return 1;
	}
	print_tree(xmlDocGetRootElement(page), 0);
	xmlFreeDoc(page);
	xmlCleanupParser();
	return 0;
}
