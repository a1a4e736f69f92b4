CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE TABLE link (
	id INTEGER NOT NULL, 
	url VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	priority FLOAT NOT NULL, 
	depth INTEGER NOT NULL, 
	chain INTEGER NOT NULL, 
	via VARCHAR, 
	anchor VARCHAR NOT NULL, 
	context VARCHAR NOT NULL, 
	attempts INTEGER NOT NULL, 
	not_before FLOAT NOT NULL, 
	reason VARCHAR, 
	PRIMARY KEY (id), 
	UNIQUE (url)
);
CREATE INDEX link_next ON link (state, host, priority, depth, id);
CREATE TABLE host (
	name VARCHAR NOT NULL, 
	robots VARCHAR, 
	robots_status INTEGER, 
	robots_at FLOAT, 
	asked_at FLOAT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE page (
	source VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	body VARCHAR, 
	media_type VARCHAR NOT NULL, 
	n_bytes BIGINT NOT NULL, 
	status INTEGER NOT NULL, 
	etag VARCHAR, 
	last_modified VARCHAR, 
	mtime_ns BIGINT, 
	depth INTEGER NOT NULL, 
	fetched_at FLOAT NOT NULL, 
	PRIMARY KEY (source)
);
CREATE INDEX page_body ON page (body);
CREATE TABLE result (
	stage VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	digest VARCHAR, 
	seconds FLOAT NOT NULL, 
	at FLOAT NOT NULL, 
	payload BLOB, 
	PRIMARY KEY (stage, subject)
);
CREATE INDEX result_done ON result (stage, subject, "key", digest);
CREATE TABLE failure (
	stage VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	passing BOOLEAN NOT NULL, 
	attempts INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (stage, subject)
);
CREATE TABLE topic (
	path VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	keywords VARCHAR NOT NULL, 
	PRIMARY KEY (path)
);
CREATE TABLE assignment (
	document VARCHAR NOT NULL, 
	topic VARCHAR NOT NULL, 
	probability FLOAT NOT NULL, 
	PRIMARY KEY (document, topic)
);
CREATE INDEX assignment_topic ON assignment (topic);
CREATE TABLE entity (
	id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	held BOOLEAN NOT NULL, 
	title VARCHAR NOT NULL, 
	year INTEGER, 
	n_citations INTEGER NOT NULL, 
	authority FLOAT NOT NULL, 
	hub FLOAT NOT NULL, 
	value BLOB NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX entity_cited ON entity (held, n_citations);
CREATE TABLE citation (
	record VARCHAR NOT NULL, 
	citing VARCHAR NOT NULL, 
	cited VARCHAR NOT NULL, 
	confidence FLOAT NOT NULL, 
	PRIMARY KEY (record)
);
CREATE INDEX citation_cited ON citation (cited);
CREATE INDEX citation_citing ON citation (citing);
CREATE TABLE alias (
	old VARCHAR NOT NULL, 
	entity VARCHAR NOT NULL, 
	PRIMARY KEY (old)
);
CREATE TABLE "indexed" (
	generation VARCHAR NOT NULL, 
	entity VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (generation, entity)
);
CREATE TABLE run (
	id INTEGER NOT NULL, 
	stage VARCHAR NOT NULL, 
	started_at FLOAT NOT NULL, 
	seconds FLOAT NOT NULL, 
	n_done INTEGER NOT NULL, 
	n_failed INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (stage, started_at)
);
CREATE TABLE entity_document (
	document VARCHAR NOT NULL, 
	entity VARCHAR NOT NULL, 
	PRIMARY KEY (document), 
	FOREIGN KEY(entity) REFERENCES entity (id) ON DELETE CASCADE
);
CREATE INDEX entity_document_entity ON entity_document (entity);
INSERT INTO meta VALUES ('schema_version', '1');
