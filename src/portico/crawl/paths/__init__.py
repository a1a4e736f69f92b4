"""Which ways lead to the pages sought? Learned from paths that somebody showed."""
